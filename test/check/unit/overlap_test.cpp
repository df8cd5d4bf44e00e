// SPDX-License-Identifier: BSL-1.0
// Rule "overlap": two beliefs in one lock at once, and what excuses them. In most cases worker-1
// believes for too long, over worker-2's belief from 205 to 305 ms.
#include "check/story.hpp"

#include <catch2/catch.hpp>

namespace {

constexpr check_options short_grace{.grace = 10'000'000}; // 10 ms

/// worker-1 believes until 400 ms, worker-2 from 205 ms to 305 ms.
story overlapping() {
    auto s = story::good();
    s.at(400, "worker-1", "release", 1);
    return s;
}

} // namespace

TEST_CASE("A good run is accepted, and counted") {
    const auto v = story::good().check();
    CHECK(rules_of(v) == words{});
    CHECK(v.violations == 0);
    CHECK(v.acquisitions == 2);
    CHECK(v.tickets == 3);
    CHECK(v.overlap_ms == 0);
    CHECK(v.stale_refused == 0);
    CHECK(v.orphans == 0);
}

TEST_CASE("Two beliefs at once are rejected, and measured") {
    const auto v = overlapping().check();
    CHECK(rules_of(v) == words{"overlap"});
    CHECK(says(v, "overlap", "worker-1's acquire 1 of /l/a (token 0000000000000010) and worker-2"));
    CHECK(v.overlap_ms == Approx(100));
    CHECK(v.overlap_sum_ms == Approx(100));
    CHECK(v.violations == 1);
}

TEST_CASE("A pause of the process excuses its own belief, and only that") {
    auto s = overlapping();
    SECTION("from the pause to the resumption, and the grace") {
        s.say(150, "schedule", "pause", {{"target", "worker-1"}, {"until", 390 * millisecond}});
        s.say(395, "schedule", "resume", {{"target", "worker-1"}});
        const auto v = s.check(short_grace);
        CHECK(rules_of(v) == words{});
        CHECK(v.overlap_ms == 0);
        CHECK(v.excused_overlap_ms == Approx(100));
        CHECK(v.process_faults == 1);
    }
    SECTION("not what the worker believes long after its resumption") {
        s.say(150, "schedule", "pause", {{"target", "worker-1"}, {"until", 240 * millisecond}});
        s.say(245, "schedule", "resume", {{"target", "worker-1"}});
        const auto v = s.check(short_grace);
        CHECK(rules_of(v) == words{"overlap"});
        CHECK(v.overlap_ms == Approx(50)); // from 255 to 305
    }
    SECTION("a pause of a server excuses nothing") {
        s.say(150, "schedule", "pause", {{"target", "server-1"}, {"until", 6'000 * millisecond}});
        CHECK(rules_of(s.check()) == words{"overlap"});
    }
}

TEST_CASE("A ticket that the schedule deleted may be believed in for a session timeout") {
    auto s = overlapping();
    s.unlog({0x12, 0x13});
    s.remove(0x12, 0x99, story::ticket(0)); // 0x99: no worker's session
    s.hand_off(0x13, 0x22, story::ticket(1));
    SECTION("the schedule says so") {
        s.say(203, "schedule", "deleted", {{"path", story::ticket(0)}, {"how", "ticket"}});
        const auto v = s.check();
        CHECK(rules_of(v) == words{});
        CHECK(v.excused_overlap_ms == Approx(100));
    }
    SECTION("not if nobody says so") { CHECK(rules_of(s.check()) == words{"overlap"}); }
    SECTION("not for longer") {
        s.at(1'900, "worker-1", "release", 1);
        s.at(1'200, "worker-2", "grant", 1);
        s.at(1'800, "worker-2", "release", 1);
        s.say(150, "schedule", "deleted", {{"path", story::ticket(0)}, {"how", "ticket"}});
        CHECK(s.check(short_grace).overlap_ms == Approx(1'800 - 1'200)); // excused until 1,160 ms
    }
    SECTION("not if it was a worker that removed it") {
        s.say(20, "worker-2", "session", {{"session", "99"}});
        s.say(203, "schedule", "deleted", {{"path", story::ticket(0)}, {"how", "ticket"}});
        CHECK(breaks_only(s, "exclusion", "removed by another session, of worker-2"));
    }
}

TEST_CASE("A ticket that the schedule deleted is not believed in once its session was told") {
    auto s = overlapping();
    s.unlog({0x12, 0x13});
    s.remove(0x12, 0x99, story::ticket(0));
    s.hand_off(0x13, 0x22, story::ticket(1));
    s.say(21, "proxy-1", "connected", {{"link", 1}, {"session", "11"}});
    s.say(21, "proxy-1", "connected", {{"link", 2}, {"session", "22"}});
    const auto deleted = [&](std::int64_t since) {
        s.say(203, "schedule", "deleted",
              {{"path", story::ticket(0)}, {"how", "ticket"}, {"since", since * millisecond}});
    };
    // The session of this link is told that the ticket is gone.
    const auto told = [&](int link, int ticket, const char* by) {
        s.say(215, "proxy-1", "gone",
              {{"link", link}, {"session", "1"}, {"path", story::ticket(ticket)}, {"by", by}});
    };
    constexpr check_options how{.told_grace = 10'000'000};
    SECTION("its socket was given the word") {
        deleted(202);
        told(1, 0, "check");
        const auto v = s.check(how);
        CHECK(rules_of(v) == words{"overlap"});
        CHECK(v.overlap_ms == Approx(305 - 225)); // excused until the word and the grace
    }
    SECTION("it was not: another session was, and of another ticket") {
        deleted(202);
        told(2, 0, "get");
        told(1, 1, "get");
        CHECK(rules_of(s.check(how)) == words{});
    }
    SECTION("it was, by a connection that ended in the same moment") {
        deleted(202);
        told(1, 0, "check");
        s.say(222, "proxy-1", "closed", {{"link", 1}});
        CHECK(rules_of(s.check(how)) == words{});
    }
    SECTION("an overlap before the deletion is not excused") {
        deleted(250);
        CHECK(s.check(how).overlap_ms == Approx(250 - 205));
    }
}

namespace {

/// Ticket 1, of this session, is deleted while ticket 0 stands before it. worker-2 believes in it.
story deleted_while_it_waits(std::int64_t session) {
    auto s = overlapping();
    s.unlog({0x11, 0x12, 0x13});
    s.create(0x11, session, story::ticket(1), "b-1");
    s.remove(0x12, 0x99, story::ticket(1)); // 0x99: no worker's session
    s.hand_off(0x13, 0x11, story::ticket(0));
    s.say(190, "schedule", "deleted",
          {{"path", story::ticket(1)}, {"how", "ticket"}, {"since", 185 * millisecond}});
    s.say(21, "proxy-1", "connected", {{"link", 1}, {"session", "11"}});
    s.say(21, "proxy-1", "connected", {{"link", 2}, {"session", "22"}});
    return s;
}

} // namespace

TEST_CASE("A ticket that was deleted while it waited is not believed in") {
    auto s = deleted_while_it_waits(0x22);
    SECTION("although the schedule says so") {
        const auto v = s.check();
        CHECK(rules_of(v) == words{"exclusion", "overlap"});
        CHECK(v.overlap_ms == Approx(100));
        CHECK(says(v, "exclusion", "always stood before its ticket"));
    }
    SECTION("but where the word of that was lost") {
        s.say(191, "proxy-1", "lost", {{"link", 2}, {"session", "22"}, {"path", story::ticket(1)}});
        CHECK(rules_of(s.check()) == words{});
    }
}

TEST_CASE("A deleted ticket that got the lock within its session is excused once that is told") {
    auto s = deleted_while_it_waits(0x11);
    // All that worker-2 does becomes worker-1's acquire 3: both tickets are of one session.
    for (auto& line : s.lines) {
        if (line.at("p") == "worker-2" && line.contains("id")) {
            line["p"] = "worker-1";
            line["id"] = 3;
        }
        if (line.contains("worker") && line.at("worker") == "worker-2") {
            line["worker"] = "worker-1";
            line["id"] = "3";
        }
    }
    constexpr check_options how{.told_grace = 10'000'000};
    SECTION("it may believe alone: the ticket before it keeps all others out") {
        s.at(200, "worker-1", "release", 1);
        CHECK(rules_of(s.check(how)) == words{});
    }
    SECTION("it overlaps the acquire before it, and was not told") {
        CHECK(s.check(how).overlap_ms == Approx(100));
    }
    SECTION("it was told, and takes a moment to say so") {
        s.say(295, "proxy-1", "gone",
              {{"link", 1}, {"session", "11"}, {"path", story::ticket(1)}, {"by", "check"}});
        CHECK(s.check(how).overlap_ms == Approx(295 - 205));
    }
}
