// SPDX-License-Identifier: BSL-1.0
// Rule "overlap" where the schedule ended the session of a holder: for how long its belief is
// excused. The session timeout is 1 s.
#include "check/story.hpp"

#include <catch2/catch.hpp>

namespace {

/// worker-1 believes until 400 ms, though its session is closed; worker-2 from 205 to 305 ms.
story ended_while_held() {
    auto s = story::good();
    s.at(400, "worker-1", "release", 1);
    s.unlog({0x12, 0x13});
    s.close(0x12, 0x11);
    s.hand_off(0x13, 0x22, story::ticket(1));
    s.in_background("worker-1", 1);
    return s;
}

} // namespace

TEST_CASE("A session that the schedule ended may be believed in for its timeout") {
    auto s = ended_while_held();
    CHECK(rules_of(s.check()) == words{"overlap"});
    s.say(190, "schedule", "fault", {{"what", "session end"}, {"target", "11"}, {"seconds", 0}});
    CHECK(rules_of(s.check()) == words{});
}

TEST_CASE("A session that the schedule ended is believed in for as long as its lease, at most") {
    auto s = ended_while_held();
    // The schedule set about it at `since`, and was done 1 ms later.
    const auto ended = [&](std::int64_t since) {
        s.say(since + 1, "schedule", "fault",
              {{"what", "session end"},
               {"target", "11"},
               {"seconds", 0},
               {"since", since * millisecond}});
    };
    const auto connected = [&](int link, const char* session, std::int64_t from, std::int64_t to) {
        s.say(from, "proxy-1", "connected", {{"link", link}, {"session", session}});
        s.say(to, "proxy-1", "closed", {{"link", link}});
    };
    constexpr check_options how{.grace = 10'000'000, .told_grace = 10'000'000};
    SECTION("from when the schedule set about it") {
        ended(250);
        CHECK(s.check(how).overlap_ms == Approx(250 - 205));
    }
    SECTION("until a timeout after it was done") {
        ended(202);
        CHECK(rules_of(s.check(how)) == words{});
        s.at(1'900, "worker-1", "release", 1);
        s.at(1'205, "worker-2", "grant", 1);
        s.at(1'800, "worker-2", "release", 1);
        CHECK(s.check(how).overlap_ms == Approx(1'800 - 1'213)); // 203 and the timeout and a grace
        CHECK(rules_of(s.check(how)).count("overlap") == 1);
    }
    SECTION("until a proof before its last connection ended is too old") {
        ended(202);
        connected(1, "11", -2'000, -400);
        connected(2, "22", -2'000, -900);                    // another session's
        CHECK(s.check(how).overlap_ms == Approx(305 - 235)); // -400 + 5/8 of 1,000, and a grace
    }
}
