// SPDX-License-Identifier: BSL-1.0
// Rules "exclusion", "token", "order" and "outcome": the good story, changed so that grants and
// tickets do not fit together.
#include "check/story.hpp"

#include <catch2/catch.hpp>

namespace {

/// worker-2 is granted before worker-1, though its ticket stands behind.
story swapped() {
    auto s = story::good();
    s.at(205, "worker-1", "grant", 1);
    s.at(305, "worker-1", "release", 1);
    s.at(100, "worker-2", "grant", 1);
    s.at(200, "worker-2", "release", 1);
    return s;
}

} // namespace

TEST_CASE("Grants in the wrong order are rejected") {
    auto s = swapped();
    const auto v = s.check();
    CHECK(rules_of(v) == words{"order", "token"});
    CHECK(says(v, "token", "worker-1's acquire 1 of /l/a (token 0000000000000010): its token"));
    CHECK(says(v, "order", "worker-1's acquire 1 of /l/a (token 0000000000000010) came first"));
    // A pause of worker-1 excuses it: the lock was granted in time, and told late.
    s.say(90, "schedule", "pause", {{"target", "worker-1"}, {"until", 250 * millisecond}});
    CHECK(rules_of(s.check()) == words{});
}

TEST_CASE("A grant without a ticket in the log is rejected") {
    auto s = story::good();
    SECTION("no such transaction") {
        s.line("worker-2", "grant", 1)["token"] = "0000000000000019-0000000000000000";
        s.lines.erase(s.lines.begin() + (&s.line("store", "write") - s.lines.data()));
        const auto v = s.check();
        CHECK(says(v, "exclusion", "no transaction of the log created its ticket"));
        CHECK(says(v, "store", "not one that was granted to write"));
    }
    SECTION("a ticket of the other kind") {
        s.line("worker-1", "ask", 1)["kind"] = "shared";
        CHECK(says(s.check(), "exclusion", "its ticket is of another kind"));
    }
    SECTION("another worker's ticket") {
        s.line("worker-1", "session")["session"] = "33";
        s.line("worker-2", "session")["session"] = "11";
        CHECK(says(s.check(), "exclusion", "belongs to a session of worker-2"));
    }
    SECTION("a ticket of nobody's session") {
        s.line("worker-1", "session")["session"] = "33";
        s.line("worker-1", "grant", 1)["session"] = "33";
        CHECK(says(s.check(), "exclusion", "belongs to a session that it never named"));
    }
}

TEST_CASE("One ticket granted twice is rejected") {
    auto s = story::good();
    s.forget("worker-1", "fail", 2);
    auto again = s.line("worker-1", "grant", 1);
    again["id"] = 2;
    again["t"] = 400 * millisecond;
    s.lines.insert(s.lines.begin() + (&s.line("worker-1", "stop") - s.lines.data()), again);
    s.say(410, "worker-1", "release", {{"id", 2}});
    CHECK(says(s.check(), "exclusion", "its ticket was granted before"));
}

TEST_CASE("A grant while a ticket before it lived is rejected") {
    auto s = story::good();
    s.unlog({0x12, 0x13});
    SECTION("its ticket went before it was owner") {
        s.remove(0x12, GENERATE(0x22, 0x99), story::ticket(1)); // by its session, or a foreign one
        s.hand_off(0x13, 0x11, story::ticket(0));
        CHECK(breaks_only(
            s, "exclusion",
            "granted although turn-3-lock-0000000000 of session 11 always stood before"));
    }
    SECTION("it handed off the lock before it had it") {
        s.hand_off(0x12, 0x22, story::ticket(1));
        s.hand_off(0x13, 0x11, story::ticket(0));
        CHECK(says(s.check(), "exclusion", "was handed off before it was owner"));
    }
}

TEST_CASE("Two tickets of one acquire are rejected") {
    auto s = story::good();
    SECTION("both granted") {
        s.unlog(0x14);
        s.create(0x14, 0x11, story::ticket(2), "a-1");
        s.forget("worker-1", "fail", 2);
        auto again = s.line("worker-1", "grant", 1);
        again["id"] = 2;
        again["t"] = 400 * millisecond;
        again["token"] = "0000000000000014-0000000000000000";
        s.lines.insert(s.lines.begin() + (&s.line("worker-1", "stop") - s.lines.data()), again);
        s.say(410, "worker-1", "release", {{"id", 2}});
        CHECK(says(s.check(), "outcome", "two tickets of one acquire were granted"));
    }
    SECTION("one more is made when the acquire is over") {
        s.create(0x18, 0x22, story::ticket(3), "b-1");
        CHECK(says(s.check(), "outcome", "was made after its acquire was over"));
    }
    SECTION("one more outlives the one that was granted, and is not deleted") {
        s.unlog({0x12, 0x13, 0x14, 0x15});
        s.create(0x12, 0x11, story::ticket(2), "a-1");
        s.hand_off(0x13, 0x11, story::ticket(0));
        s.hand_off(0x14, 0x22, story::ticket(1));
        s.hand_off(0x15, 0x11, story::ticket(2));
        CHECK(breaks_only(s, "outcome", "outlived /l/a/turn-3-lock-0000000000"));
    }
}
