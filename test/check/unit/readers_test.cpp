// SPDX-License-Identifier: BSL-1.0
// Rules of readers, in the line of shared_story: which of them hold together, which share a ticket,
// and when a reader may mark its ticket.
#include "check/unit/shared_story.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("64 readers may join a ticket, and no more") {
    auto s = shared_story::good();
    const int more = GENERATE(63, 64); // one has joined it in the good run
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
    CHECK(breaks_only(s, "exclusion",
                      "acquire 13 of /l/r (token 0000000000000210): passed a writer"));
}

TEST_CASE("A reader that is a part of several does not tell since when its ticket is shared") {
    auto s = shared_story::good();
    s.asks(425, "worker-2", 16, "writer"); // its first ticket is lost, and a later one replaces it
    s.granted(570, "worker-2", 16, 0x225);
    s.lets_go(580, "worker-2", 16);
    s.create(0x225, 0x22, writer_node(3), "w-3");
    s.hand_off(0x275, 0x22, writer_node(3));
    s.line("worker-2", "ask", 12)["several"] = true;
    s.line("worker-2", "grant", 12)["several"] = true;
    CHECK(rules_of(s.check()) == words{});

    s.at(422, "worker-2", "ask", 13); // before the writer: the ticket may be shared from here on
    s.asks(430, "worker-2", 17, "shared"); // behind the writer
    s.granted(475, "worker-2", 17, 0x210);
    s.lets_go(505, "worker-2", 17);
    CHECK(breaks_only(s, "exclusion",
                      "acquire 17 of /l/r (token 0000000000000210): passed a writer"));
}

TEST_CASE("Only a ticket of a reader is shared") {
    auto s = shared_story::good();
    s.asks(480, "worker-1", 17, "shared"); // joins the ticket of the writer that became a reader
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
    CHECK(breaks_only(s, "exclusion", "was handed off, and was held to read"));
}

TEST_CASE("A mark where a writer stands is rejected") {
    auto s = shared_story::good();
    s.set(0x228, 0x22, reader_node(1), clear_data);
    CHECK(breaks_only(s, "exclusion", "where turn-3-lock-0000000000 stood"));
}

TEST_CASE("New data of a ticket that is no reader's mark is rejected") {
    auto s = shared_story::good();
    SECTION("a writer's") { s.set(0x225, 0x11, writer_node(0), clear_data); }
    SECTION("a reader's, without a mark") { s.set(0x245, 0x22, reader_node(1), "released\n"); }
    SECTION("by another session") { s.set(0x245, 0x11, reader_node(1), clear_data); }
    CHECK(breaks_only(s, "exclusion", "was written while it stood"));
}

TEST_CASE("A ticket that stays after the last of its readers let go is rejected") {
    auto s = shared_story::good();
    s.unlog(0x310);
    s.asks(700, "worker-2", 18, "shared");
    s.asks(701, "worker-2", 19, "shared");
    s.granted(710, "worker-2", 18, 0x2d0);
    s.granted(711, "worker-2", 19, 0x2d0);
    s.lets_go(720, "worker-2", 19);
    s.lets_go(730, "worker-2", 18);
    s.create(0x2d0, 0x22, reader_node(9), "r-9");
    s.close(0x310, 0x22);
    const auto v = s.check();
    CHECK(rules_of(v) == words{"outcome"});
    CHECK(v.violations == 1);
    CHECK(says(v, "outcome", "acquire 18 of /l/r"));
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
