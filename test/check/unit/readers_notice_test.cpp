// SPDX-License-Identifier: BSL-1.0
// Rule "notice" (rules_notice.cpp) for a line with readers: all readers up to the next writer wait
// for the one writer before them. A writer waits for the nearest ticket.
#include "check/unit/shared_story.hpp"

#include <catch2/catch.hpp>

namespace {

/// One line: writer 0, readers 1 and 2, writer 3, reader 4. Each ticket is of a session of its own:
/// number n of session 0x31 + n, which has the proxy's link n + 1. They leave in their order.
story one_line() {
    shared_story s; // its workers take another lock
    s.line("schedule", "settings")["proxies"] = 1;
    for (const int n : {1, 2, 3, 4, 5})
        s.say(20, "proxy-1", "connected", {{"link", n}, {"session", std::to_string(30 + n)}});
    s.create(0x200, 0x31, writer_node(0));
    s.create(0x210, 0x32, reader_node(1));
    s.create(0x220, 0x33, reader_node(2));
    s.create(0x230, 0x34, writer_node(3));
    s.create(0x240, 0x35, reader_node(4));
    s.hand_off(0x250, 0x31, writer_node(0));
    s.remove(0x260, 0x32, reader_node(1));
    s.remove(0x270, 0x33, reader_node(2));
    s.hand_off(0x280, 0x34, writer_node(3));
    s.remove(0x290, 0x35, reader_node(4));
    return s;
}

/// The session of this link is told that the node went. The servers count it, too.
void told(story& s, int link, const std::string& path) {
    s.say(500, "proxy-1", "event", {{"link", link}, {"session", "1"}, {"path", path}, {"type", 3}});
    auto& events = s.line("schedule", "counters")["events"];
    events = events.to_number<int>() + 1;
}

} // namespace

TEST_CASE("All readers up to the next writer are told that the writer before them went") {
    auto s = one_line();
    told(s, 2, writer_node(0));
    told(s, 3, writer_node(0));
    told(s, 4, reader_node(2)); // the writer behind them waits for the nearest one
    told(s, 5, writer_node(3));
    CHECK(rules_of(s.check()) == words{});
    SECTION("and each once") {
        told(s, 3, writer_node(0));
        CHECK(says(s.check(), "notice", "the session 0x33 was told so too often"));
    }
    SECTION("and no writer behind readers") {
        told(s, 4, writer_node(0));
        CHECK(says(s.check(), "notice", "0x34 was told so, which never stood right behind"));
    }
    SECTION("and no reader behind another writer") {
        told(s, 5, writer_node(0));
        CHECK(says(s.check(), "notice", "0x35 was told so, which never stood right behind"));
    }
    // No section breaks another rule.
    const auto v = s.check();
    CHECK((v.violations == 0 || rules_of(v) == words{"notice"}));
}

TEST_CASE("A writer is told of a mark of the reader before it, and of its end") {
    auto s = one_line();
    told(s, 4, reader_node(2));
    told(s, 4, reader_node(2)); // for the end alone this is once too often
    CHECK(rules_of(s.check()) == words{"notice"});
    s.set(0x258, 0x33, reader_node(2), clear_data); // the mark allows one more
    CHECK(rules_of(s.check()) == words{});
    told(s, 4, reader_node(2));
    CHECK(rules_of(s.check()) == words{"notice"});
}

TEST_CASE("A writer that becomes a reader is waited for by a writer only") {
    auto s = one_line();
    const bool alone = GENERATE(false, true); // with no reader between the two
    if (alone)
        s.unlog({0x210, 0x220, 0x260, 0x270}); // both readers, and their ends
    s.unlog(0x250); // the writer's release: it downgrades first, and then releases
    s.transact(0x248, 0x31, {{"create", downgraded_node(0), "w"}, {"delete", writer_node(0)}});
    s.remove(0x250, 0x31, downgraded_node(0));
    told(s, alone ? 4 : 2, writer_node(0));
    CHECK(rules_of(s.check()) == words{});
    SECTION("and by no reader") {
        told(s, 2, downgraded_node(0));
        CHECK(rules_of(s.check()) == words{"notice"});
    }
    SECTION("by the one right behind it") {
        told(s, 4, downgraded_node(0));
        CHECK(rules_of(s.check()) == (alone ? words{} : words{"notice"}));
    }
    SECTION("by its own session, at once") {
        told(s, 1, downgraded_node(0));
        CHECK(rules_of(s.check()) == words{});
    }
}
