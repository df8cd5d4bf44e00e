// SPDX-License-Identifier: BSL-1.0
// Rules of writers that become readers (downgrades), and of readers that become writers (upgrades).
// In shared_story worker-1's acquire 11 is downgraded (writer 0, transaction 0x230), and worker-2's
// acquire 15 is upgraded (from reader 6 to writer 8, transaction 0x2a0).
#include "check/unit/shared_story.hpp"

#include <catch2/catch.hpp>

TEST_CASE("A writer whose downgrade fails is a writer still") {
    auto s = shared_story::good();
    s.line("worker-1", "downgraded", 11)["code"] = "turnstile:9 refused";
    const auto v = s.check();
    CHECK(rules_of(v) == words{"overlap"});
    CHECK(v.overlap_ms == Approx(30)); // from the second reader's grant to the release
}

TEST_CASE("A reader that became a writer excludes others, from the answer on") {
    auto s = shared_story::good();
    s.asks(630, "worker-1", 21, "shared");
    s.granted(635, "worker-1", 21, 0x2d0);
    s.lets_go(685, "worker-1", 21);
    s.create(0x2d0, 0x11, reader_node(9), "r-9");
    s.remove(0x2e0, 0x11, reader_node(9));
    const auto v = s.check();
    CHECK(rules_of(v).count("overlap") == 1);
    CHECK(v.overlap_ms == Approx(40)); // from the answer to the release
}

TEST_CASE("A reader that became a writer has a new token, above all earlier ones") {
    auto s = shared_story::good();
    s.line("worker-2", "upgraded", 15)["token"] = token_of(0x220);
    const auto v = s.check();
    CHECK(says(v, "token", "acquire 15 of /l/r (token 0000000000000280): its token falls"));
    CHECK(says(v, "exclusion", "its ticket was granted before, to worker-"));
}

TEST_CASE("A downgrade that was told and is not in the log is rejected") {
    auto s = shared_story::good();
    s.unlog({0x230, 0x240, 0x250});
    s.hand_off(0x250, 0x11, writer_node(0));
    CHECK(breaks_only(s, "outcome", writer_node(0) + " never was one"));
}

TEST_CASE("A ticket becomes a reader's in its place, and nowhere else") {
    auto s = shared_story::good();
    SECTION("not out of nothing") {
        s.create(0x2d0, 0x22, downgraded_node(9));
        s.remove(0x2e0, 0x22, downgraded_node(9));
        CHECK(says(s.check(), "exclusion", "was made where no writer became a reader"));
    }
    SECTION("not from a writer of another session") {
        s.unlog(0x230);
        s.downgrade(0x230, 0x22, 0);
        CHECK(says(s.check(), "exclusion", "was made where no writer became a reader"));
        return;
    }
    SECTION("not before it was owner") {
        s.unlog(0x270);
        s.downgrade(0x228, 0x11, 2);
        s.remove(0x270, 0x11, downgraded_node(2));
        CHECK(says(s.check(), "exclusion",
                   downgraded_node(2) + " became a reader before it was owner"));
    }
    CHECK(rules_of(s.check()) == words{"exclusion"});
}

TEST_CASE("A writer behind one that became a reader is served after it, by the log") {
    auto s = shared_story::good();
    s.unlog(0x270);
    s.remove(0x245, 0x11, writer_node(2));
    CHECK(breaks_only(s, "exclusion",
                      "granted although turn-3-down-read-lock-0000000000 of session"));
}

TEST_CASE("A reader becomes a writer where nobody else stands in line") {
    auto s = shared_story::good();
    // Another reader's ticket goes after the upgrade, before it, or right after it was made.
    const int zxid = GENERATE(0x2a8, 0x298, 0x268);
    s.asks(600, "worker-1", 22, "shared"); // its belief ends before the upgrade is answered
    s.granted(605, "worker-1", 22, 0x285);
    s.lets_go(630, "worker-1", 22);
    s.create(0x285, 0x11, reader_node(7), "r-7");
    if (zxid > 0x285)
        s.remove(zxid, 0x11, reader_node(7));
    else
        s.remove(0x286, 0x11, reader_node(7));
    const auto v = s.check();
    if (zxid < 0x2a0) {
        CHECK(rules_of(v) == words{});
    } else {
        CHECK(rules_of(v) == words{"exclusion"});
        CHECK(says(v, "exclusion",
                   writer_node(8) + ", which was not alone behind " + reader_node(6)));
    }
}

TEST_CASE("A release after an upgrade is of the writer's ticket") {
    auto s = shared_story::good();
    s.unlog(0x2c0); // that release
    CHECK(breaks_only(s, "outcome", "it went only when its session was closed"));
}

TEST_CASE("The ticket by which a reader became a writer is one of the log") {
    auto s = shared_story::good();
    s.unlog(0x2a0);
    CHECK(breaks_only(s, "exclusion", "no transaction of the log created its ticket"));
}

TEST_CASE("An upgrade or a downgrade is answered once") {
    auto s = shared_story::good();
    SECTION("and not left without an answer") {
        s.forget("worker-2", "upgraded", 15);
        CHECK(breaks_only(s, "served", "nobody was told what became of its upgrade"));
    }
    SECTION("and not twice") {
        s.say(461, "worker-1", "downgraded", {{"id", 11}, {"code", "system:0 Success"}});
        CHECK(breaks_only(s, "history", "told of a change that nobody had asked for"));
    }
    SECTION("and not by the other's word") {
        s.line("worker-1", "downgraded", 11)["k"] = "upgraded";
        CHECK(says(s.check(), "history", "told of a change that nobody had asked for"));
    }
    SECTION("and one at a time") {
        s.say(455, "worker-1", "downgrade", {{"id", 11}});
        CHECK(says(s.check(), "history", "asks for two changes at once"));
    }
    SECTION("and not of what was released") {
        s.say(550, "worker-1", "upgrade", {{"id", 11}});
        CHECK(breaks_only(s, "history", "changes what it does not hold"));
    }
}
