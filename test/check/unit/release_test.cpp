// SPDX-License-Identifier: BSL-1.0
// Rule "outcome", of releases: if a worker is told that its ticket is gone, it is. In all cases
// this is worker-2's ticket 1, whose release (0x13) is taken out of the log.
#include "check/story.hpp"

#include <catch2/catch.hpp>

namespace {

constexpr const char* told_too_early =
    "worker-2's acquire 1 of /l/a (token 0000000000000011): its worker "
    "was told that its ticket is gone, but ";

} // namespace

TEST_CASE("A ticket whose release succeeded was removed") {
    auto s = story::good();
    s.unlog(0x13);
    SECTION("it was never removed") {
        s.unlog(0x17);
        const auto v = s.check();
        CHECK(rules_of(v) == words{"orphan", "outcome"});
        CHECK(says(v, "outcome", std::string{told_too_early} + "it never was removed"));
        SECTION("but that was not said") {
            s.line("worker-2", "released", 1)["code"] = "turnstile:18 the session expired";
            CHECK(rules_of(s.check()) == words{"orphan"});
        }
    }
    SECTION("it went with its session, which the worker closed") {
        CHECK(
            breaks_only(s, "outcome",
                        std::string{told_too_early} + "it went only when its session was closed"));
    }
}

// The ticket goes only at 0x18 or later, behind the create of a ticket (0x13) for another acquire.
// That is wrong if the same worker asked for it after the answer to the release, at 315 ms.
TEST_CASE("A ticket whose release succeeded is gone from then on") {
    auto s = story::good();
    s.unlog({0x13, 0x17});
    const auto asked = GENERATE(320, 310);
    const bool by_another = GENERATE(false, true); // worker
    const std::string worker = by_another ? "worker-1" : "worker-2";
    s.say(asked, worker, "ask", {{"id", 3}, {"lock", "/l/b"}, {"kind", "exclusive"}});
    s.say(330, worker, "grant",
          {{"id", 3},
           {"lock", "/l/b"},
           {"token", "0000000000000013-0000000000000000"},
           {"session", by_another ? "11" : "22"}});
    s.say(340, worker, "release", {{"id", 3}, {"background", true}});
    s.create(0x13, by_another ? 0x11 : 0x22, "/l/b/turn-3-lock-0000000000", "x-3");
    const auto how = GENERATE(1, 2, 3); // by a release, a foreign client, or the session's expiry
    if (how == 1)
        s.hand_off(0x18, 0x22, story::ticket(1));
    else if (how == 2)
        s.remove(0x18, 0x99, story::ticket(1));
    s.expire(0x19, 0x22);
    const auto v = s.check();
    if (asked == 310 || by_another) {
        CHECK(rules_of(v) == words{});
    } else {
        CHECK(rules_of(v) == words{"outcome"});
        CHECK(says(v, "outcome",
                   std::string{told_too_early} +
                       "it still stood when the ticket was made of worker-2's "
                       "acquire 3 of /l/b"));
    }
}
