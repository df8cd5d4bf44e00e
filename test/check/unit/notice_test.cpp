// SPDX-License-Identifier: BSL-1.0
// Rule "notice" (rules_notice.cpp): which session may be told that a ticket went, and how often.
#include "check/story.hpp"

#include <catch2/catch.hpp>

namespace {

/// A good run with a third session (0x33), seen by a proxy: link n is that of session 0xnn.
story watched() {
    auto s = story::good();
    s.line("schedule", "settings")["proxies"] = 1;
    for (const int n : {1, 2, 3}) {
        const auto session = std::to_string(n * 11);
        s.say(20 + n, "proxy-1", "connected", {{"link", n}, {"session", session}});
    }
    return s;
}

int count_events(const story& s) {
    int result = 0;
    for (const auto& l : s.lines)
        result += l.at("k") == "event" ? 1 : 0;
    return result;
}

/// The session of this link is told that the ticket went. The servers count it, too.
void told(story& s, std::int64_t ms, int link, const std::string& path) {
    s.say(ms, "proxy-1", "event", {{"link", link}, {"session", "1"}, {"path", path}, {"type", 3}});
    s.line("schedule", "counters")["events"] = count_events(s);
}

/// All violations, as text.
std::string found(const story& s) {
    std::string result;
    for (const auto& d : s.check().details)
        result += d.rule + ": " + d.text + '\n';
    return result;
}

} // namespace

TEST_CASE("Notifications are counted against tickets that went") {
    auto s = story::good();
    // Three tickets went, three acquires watched their own ticket, and one acquire failed.
    s.say(500, "schedule", "counters", {{"events", 3 + 3 + 1}});
    CHECK(rules_of(s.check()) == words{});
    s.say(500, "schedule", "counters", {{"events", 1}}); // counters add up
    CHECK(rules_of(s.check()) == words{"notice"});
}

TEST_CASE("A session that stood right behind a ticket is told once that it went") {
    auto s = watched();
    told(s, 201, 2, story::ticket(0)); // worker-2 has ticket 1
    CHECK(found(s).empty());
    SECTION("and not twice") {
        told(s, 202, 2, story::ticket(0));
        CHECK(says(s.check(), "notice", "one connection was told so too often"));
    }
    SECTION("and nobody else") {
        told(s, 201, 3, story::ticket(0));
        const auto v = s.check();
        CHECK(rules_of(v) == words{"notice"});
        CHECK(v.violations == 1);
        CHECK(says(v, "notice", "the session 0x33 was told so, which never stood right behind"));
    }
    SECTION("and not of another ticket") {
        told(s, 202, 2, story::ticket(2));
        CHECK(says(s.check(), "notice", "never stood right behind"));
    }
    SECTION("and of nothing but tickets") {
        told(s, 202, 2, "/l/a");
        CHECK(says(s.check(), "notice", "/l/a, which never was a ticket"));
    }
    SECTION("and what proxies saw is not lost") {
        s.forget("proxy-1", "event");
        CHECK(found(s) == "history: incomplete: the proxies wrote down 0 notifications of 1\n");
    }
}

TEST_CASE("A server that ends a session may tell it the same again, but not before") {
    auto s = watched();
    s.unlog({0x14, 0x15, 0x16, 0x17});
    std::erase_if(s.lines, [](const auto& l) { return l.at("p") == "store"; });
    s.create(0x14, 0x33, story::ticket(2), "c-1");
    s.close(0x15, 0x33);
    told(s, 301, 3, story::ticket(1));        // the session stood behind this one
    const auto ended_at = GENERATE(302, 305); // it is told of its own ticket then
    for (const int ms : {ended_at, ended_at + 1})
        told(s, ms, 3, story::ticket(2));
    told(s, 304, 3, story::ticket(1)); // once more: before the end, or after it
    CHECK(says(s.check(), "notice", "one connection was told so too often") == (ended_at > 304));
}

TEST_CASE("What a server repeats counts for no ticket, whatever the lock") {
    auto s = watched();
    s.unlog({0x14, 0x15, 0x16, 0x17});
    std::erase_if(s.lines, [](const auto& l) { return l.at("p") == "store"; });
    const std::string reader = "/l/a/turn-3-read-lock-0000000002";
    s.create(0x14, 0x33, reader, "c-1");
    s.close(0x15, 0x33);
    for (int ms = 301; ms < 310; ++ms) // its own session, which has ended
        told(s, ms, 3, reader);
    CHECK(found(s).empty());
    for (int ms = 310; ms < 318; ++ms) // a session that goes on
        told(s, ms, 2, reader);
    CHECK(rules_of(s.check()) == words{"notice"});
}

TEST_CASE("A proxy that wrote nothing down is found") {
    auto s = watched();
    s.line("schedule", "settings")["proxies"] = 2;
    CHECK(found(s) == "history: incomplete: 1 proxies wrote down what they saw, of 2\n");
    s.say(20, "proxy-2", "connected", {{"link", 1}, {"session", "44"}});
    CHECK(found(s).empty());
}

TEST_CASE("What comes on a connection that its session has left does not count") {
    auto s = watched();
    const auto reconnected = [&](std::int64_t ms) {
        s.say(ms, "proxy-1", "connected", {{"link", 4}, {"session", "22"}});
    };
    SECTION("so a session may be told on the later connection, and then on the one that it left") {
        reconnected(150);
        told(s, 201, 4, story::ticket(0));
        told(s, 202, 2, story::ticket(0));
        CHECK(found(s).empty());
    }
    SECTION("but a session that was told is not told again on the next connection") {
        told(s, 201, 2, story::ticket(0));
        reconnected(202);
        told(s, 203, 4, story::ticket(0));
        CHECK(says(s.check(), "notice", "the session 0x22 was told so too often"));
    }
}

TEST_CASE("A session is told of its own ticket twice at most, however young that is") {
    auto s = watched();
    s.at(90, "worker-1", "ask", 1); // 10 ms before the grant
    told(s, 201, 1, story::ticket(0));
    CHECK(found(s).empty());
    told(s, 201, 1, story::ticket(0));
    CHECK(found(s).empty());
    told(s, 201, 1, story::ticket(0));
    CHECK(says(s.check(), "notice", "the session 0x11 was told so too often"));
}
