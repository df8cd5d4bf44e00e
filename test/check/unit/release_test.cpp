// SPDX-License-Identifier: BSL-1.0
// Rule "outcome", of releases: a worker is told that its ticket is gone when it is.
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
    SECTION("it never was") {
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

TEST_CASE("A ticket whose release succeeded is gone from then on") {
    auto s = story::good();
    s.unlog({0x13, 0x17});
    // Another lock is asked for after the answer at 315, or before.
    const auto asked = GENERATE(320, 310);
    const bool by_another = GENERATE(false, true); // which says nothing
    const std::string worker = by_another ? "worker-1" : "worker-2";
    s.say(asked, worker, "ask", {{"id", 3}, {"lock", "/l/b"}, {"kind", "exclusive"}});
    s.say(330, worker, "grant",
          {{"id", 3},
           {"lock", "/l/b"},
           {"token", "0000000000000013-0000000000000000"},
           {"session", by_another ? "11" : "22"}});
    s.say(340, worker, "release", {{"id", 3}, {"background", true}});
    s.create(0x13, by_another ? 0x11 : 0x22, "/l/b/turn-3-lock-0000000000", "x-3");
    const auto how = GENERATE(1, 2, 3);
    if (how == 1)
        s.hand_off(0x18, 0x22, story::ticket(1));
    else if (how == 2)
        s.remove(0x18, 0x99, story::ticket(1)); // by a foreign client
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
