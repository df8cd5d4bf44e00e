// SPDX-License-Identifier: BSL-1.0
// Rules of readers: who holds together, who shares a ticket, and what a reader says of its own.
#include "check/unit/shared_story.hpp"

#include <catch2/catch.hpp>

using turnstile::check::clear_data;
using turnstile::check::downgraded_node;
using turnstile::check::reader_node;
using turnstile::check::readers_lock;
using turnstile::check::rules_of;
using turnstile::check::says;
using turnstile::check::shared_story;
using turnstile::check::token_of;
using turnstile::check::writer_node;
using words = std::set<std::string>;

TEST_CASE("A run with readers, a downgrade and an upgrade is accepted, and counted") {
    const auto v = shared_story::good().check();
    CHECK(rules_of(v) == words{});
    CHECK(v.acquisitions == 7);
    CHECK(v.joins == 1);
    CHECK(v.marks == 1);
    CHECK(v.downgrades == 1);
    CHECK(v.upgrades == 1);
    CHECK(v.excused_overlap_ms == 0);
}

TEST_CASE("A reader and a writer who believe at once are rejected") {
    auto s = shared_story::good();
    SECTION("the reader comes while the writer holds") { s.at(445, "worker-2", "grant", 12); }
    SECTION("the writer comes while a reader holds") { s.at(515, "worker-1", "grant", 14); }
    const auto v = s.check();
    CHECK(rules_of(v) == words{"overlap"});
    CHECK(v.overlap_ms == Approx(5));
    CHECK(v.violations == 1);
}

TEST_CASE("So many readers may join a ticket, and no more") {
    auto s = shared_story::good();
    const int more = GENERATE(63, 64);
    for (int id = 100; id < 100 + more; ++id) {
        s.asks(475, "worker-2", id, "shared");
        s.granted(480, "worker-2", id, 0x210);
        s.lets_go(490, "worker-2", id);
    }
    const auto v = s.check();
    CHECK(rules_of(v) == (more < 64 ? words{} : words{"exclusion"}));
    CHECK(says(v, "exclusion", reader_node(1) + " was shared by 66 readers") == (more == 64));
}

TEST_CASE("A reader that passes a writer of its own session is rejected") {
    auto s = shared_story::good();
    s.asks(425, "worker-2", 16, "writer"); // before the second reader asks, who joins the first
    s.granted(570, "worker-2", 16, 0x225);
    s.lets_go(580, "worker-2", 16);
    s.create(0x225, 0x22, writer_node(3), "w-3");
    s.hand_off(0x275, 0x22, writer_node(3));
    SECTION("by joining a ticket before it") {
        const auto v = s.check();
        CHECK(rules_of(v) == words{"exclusion"});
        CHECK(says(v, "exclusion", "acquire 13 of /l/r (token 0000000000000210): passed a writer"));
    }
    SECTION("not one of several, which may stand in line later") {
        s.line("worker-2", "ask", 16)["several"] = true;
        CHECK(rules_of(s.check()) == words{});
    }
    SECTION("not one that came later") {
        s.at(435, "worker-2", "ask", 16);
        CHECK(rules_of(s.check()) == words{});
    }
}

TEST_CASE("A shared ticket stands as long as a part of several shares it") {
    auto s = shared_story::good();
    for (const auto* kind : {"ask", "grant", "release"}) {
        s.forget("worker-1", kind, 14); // no writer waits
    }
    s.unlog(0x220);
    s.unlog(0x260);
    s.unlog(0x270);
    s.remove(0x285, 0x22, reader_node(1));
    s.say(525, "worker-2", "ask", {{"id", 17}, {"lock", "/l/b"}, {"kind", "exclusive"}});
    s.create(0x278, 0x22, "/l/b/turn-3-lock-0000000000", "b-1");
    s.say(535, "worker-2", "grant",
          {{"id", 17}, {"lock", "/l/b"}, {"token", token_of(0x278)}, {"session", "22"}});
    s.say(540, "worker-2", "release", {{"id", 17}, {"background", true}});
    const auto told_too_early = [&s] {
        return says(s.check(), "outcome",
                    "it still stood when the ticket was made of worker-2's acquire 17");
    };
    CHECK(told_too_early());
    const int asked = GENERATE(425, 530);
    const int failed = GENERATE(505, 615);
    s.asks(asked, "worker-2", 16, "shared");
    s.say(failed, "worker-2", "fail", {{"id", 16}, {"code", "turnstile:20 the time is over"}});
    CHECK(told_too_early()); // alone it would have been granted
    s.line("worker-2", "ask", 16)["several"] = true;
    CHECK(told_too_early() == (asked == 530 || failed == 505));
}

TEST_CASE("Only a ticket of a reader is shared") {
    auto s = shared_story::good();
    s.asks(480, "worker-1", 17, "shared"); // by the ticket of the writer that became a reader
    s.granted(490, "worker-1", 17, 0x200);
    s.lets_go(495, "worker-1", 17);
    const auto v = s.check();
    CHECK(rules_of(v) == words{"exclusion", "token"});
    CHECK(says(v, "exclusion", "its ticket is of another kind"));
}

TEST_CASE("A reader that is handed off is rejected") {
    auto s = shared_story::good();
    const bool was_writer = GENERATE(false, true);
    const auto zxid = was_writer ? 0x250 : 0x260;
    s.unlog(zxid);
    s.hand_off(zxid, was_writer ? 0x11 : 0x22, was_writer ? downgraded_node(0) : reader_node(1));
    const auto v = s.check();
    CHECK(rules_of(v) == words{"exclusion"});
    CHECK(says(v, "exclusion", "was handed off, and was held to read"));
}

TEST_CASE("A mark where a writer stands is rejected") {
    auto s = shared_story::good();
    s.set(0x228, 0x22, reader_node(1), clear_data);
    const auto v = s.check();
    CHECK(rules_of(v) == words{"exclusion"});
    CHECK(says(v, "exclusion", "where turn-3-lock-0000000000 stood"));
}

TEST_CASE(
    "A writer of the own session may be on its way out when a reader says that none is left") {
    auto s = shared_story::good();
    s.set(0x1f8, 0x11, writer_node(0), clear_data); // before it was there, which says nothing
    s.unlog(0x200);
    s.unlog(0x230);
    s.unlog(0x250);
    for (const auto& kind : {"downgrade", "downgraded"}) {
        s.forget("worker-1", kind, 11);
    }
    s.at(465, "worker-1", "release", 11);
    s.create(0x200, 0x22, writer_node(0), "w-0");
    s.hand_off(0x250, 0x22, writer_node(0)); // after the mark
    CHECK(says(s.check(), "exclusion", "belongs to a session of worker-2"));
    CHECK(!says(s.check(), "exclusion", "was marked"));
}

TEST_CASE("Other new data of a ticket is rejected") {
    auto s = shared_story::good();
    SECTION("a writer's") { s.set(0x225, 0x11, writer_node(0), clear_data); }
    SECTION("a reader's, without a mark") { s.set(0x245, 0x22, reader_node(1), "released\n"); }
    SECTION("by another session") { s.set(0x245, 0x11, reader_node(1), clear_data); }
    const auto v = s.check();
    CHECK(rules_of(v) == words{"exclusion"});
    CHECK(says(v, "exclusion", "was written while it stood"));
}

TEST_CASE("The last of those who share a ticket ends it") {
    auto s = shared_story::good();
    s.unlog(0x310);
    s.asks(700, "worker-2", 18, "shared");
    s.asks(701, "worker-2", 19, "shared");
    s.granted(710, "worker-2", 18, 0x2d0);
    s.granted(711, "worker-2", 19, 0x2d0);
    s.lets_go(720, "worker-2", 19);
    s.lets_go(730, "worker-2", 18);
    s.create(0x2d0, 0x22, reader_node(9), "r-9");
    SECTION("and it is gone") {
        s.remove(0x2e0, 0x22, reader_node(9));
        s.close(0x310, 0x22);
        CHECK(rules_of(s.check()) == words{});
    }
    SECTION("and it stays until the session is closed") {
        s.close(0x310, 0x22);
        const auto v = s.check();
        CHECK(rules_of(v) == words{"outcome"});
        CHECK(v.violations == 1);
        CHECK(says(v, "outcome", "acquire 18 of /l/r"));
    }
}

TEST_CASE("A reader's ticket may be older than an acquire that comes after the word of a release") {
    auto s = shared_story::good();
    s.asks(512, "worker-2", 20, "shared"); // after 13 was told that it is released
    s.granted(513, "worker-2", 20, 0x210);
    s.lets_go(525, "worker-2", 20);
    CHECK(rules_of(s.check()) == words{});
}

TEST_CASE("Who joins a ticket that another hand has deleted may believe in it until it is told") {
    auto s = shared_story::good();
    s.unlog(0x260);
    s.remove(0x260, 0x99, reader_node(1));
    s.at(512, "worker-2", "ask", 13); // granted by the ticket after it was deleted
    s.at(514, "worker-2", "grant", 13);
    s.at(540, "worker-2", "release", 13);
    CHECK(rules_of(s.check()) == words{"overlap"});
    s.say(508, "schedule", "deleted", {{"path", reader_node(1)}, {"since", 507'000'000}});
    CHECK(rules_of(s.check()) == words{});
}

TEST_CASE("A reader that writes to the store is rejected") {
    auto s = shared_story::good();
    const auto writes = [&](std::int64_t ms, const char* id, std::int64_t zxid) {
        s.say(ms, "store", "write",
              {{"worker", "worker-2"},
               {"id", id},
               {"lock", readers_lock},
               {"token", token_of(zxid)},
               {"accepted", true}});
    };
    writes(650, "15", 0x2a0); // it was upgraded
    CHECK(rules_of(s.check()) == words{});
    SECTION("one that stays a reader") { writes(480, "12", 0x210); }
    SECTION("one that writes with the token that it had as a reader") { writes(615, "15", 0x280); }
    CHECK(rules_of(s.check()) == words{"store"});
}
