// SPDX-License-Identifier: BSL-1.0
// Rules of writers that become readers, and of readers that become writers.
#include "check/unit/shared_story.hpp"

#include <catch2/catch.hpp>

using turnstile::check::downgraded_node;
using turnstile::check::reader_node;
using turnstile::check::rules_of;
using turnstile::check::says;
using turnstile::check::shared_story;
using turnstile::check::token_of;
using turnstile::check::writer_node;
using words = std::set<std::string>;

TEST_CASE("A writer is a reader from its call on, and a writer again where that fails") {
    auto s = shared_story::good();
    SECTION("a reader may come before the answer") {
        s.at(455, "worker-2", "grant", 12);
        CHECK(rules_of(s.check()) == words{});
    }
    SECTION("it fails") {
        s.line("worker-1", "downgraded", 11)["code"] = "turnstile:9 refused";
        const auto v = s.check();
        CHECK(rules_of(v) == words{"overlap"});
        CHECK(v.overlap_ms == Approx(30)); // from the second reader's grant to the release
    }
    SECTION("it is told of the loss, which comes a moment later") {
        s.line("worker-1", "downgraded", 11)["code"] = "turnstile:22 lost";
        s.say(475, "worker-1", "lost", {{"id", 11}, {"why", "turnstile:22 lost"}});
        CHECK(rules_of(s.check()).count("overlap") == 0);
    }
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
    for (const int zxid : {0x230, 0x240, 0x250}) {
        s.unlog(zxid);
    }
    s.hand_off(0x250, 0x11, writer_node(0));
    const auto v = s.check();
    CHECK(rules_of(v) == words{"outcome"});
    CHECK(says(v, "outcome", writer_node(0) + " never was one"));
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

TEST_CASE("A writer may become a reader while a ticket of its own session stands before it") {
    auto s = shared_story::good();
    const auto before = GENERATE(0x11, 0x22);
    s.create(0x2d0, before, writer_node(8));
    s.create(0x2d1, 0x11, writer_node(9));
    s.downgrade(0x2d2, 0x11, 9);
    s.remove(0x2d3, before, writer_node(8));
    s.remove(0x2d4, 0x11, downgraded_node(9));
    CHECK(rules_of(s.check()) == (before == 0x11 ? words{} : words{"exclusion"}));
}

TEST_CASE("Who stands behind a writer that became a reader is served by the log, too") {
    auto s = shared_story::good();
    SECTION("a reader at once") {
        s.unlog(0x260);
        s.remove(0x248, 0x22, reader_node(1)); // before the first one has gone
        CHECK(rules_of(s.check()) == words{});
    }
    SECTION("a writer only after it") {
        s.unlog(0x270);
        s.remove(0x245, 0x11, writer_node(2));
        const auto v = s.check();
        CHECK(rules_of(v) == words{"exclusion"});
        CHECK(says(v, "exclusion", "granted although turn-3-down-read-lock-0000000000 of session"));
    }
}

TEST_CASE("A downgrade that was answered and not kept lets readers in all the same") {
    auto s = shared_story::good();
    s.unlog(0x230);
    s.unlog(0x250);
    s.unlog(0x260);
    s.hand_off(0x270 - 8, 0x11, writer_node(0));
    s.remove(0x260, 0x22, reader_node(1)); // while the writer's node stands
    auto elsewhere = s;
    elsewhere.downgrade(0x230, 0x11, 0);
    s.logs = {s.logs[0], s.logs[0], elsewhere.logs[0]};
    const auto v = s.check();
    CHECK(!says(v, "exclusion", "granted although"));
    CHECK(!says(v, "exclusion", "was marked"));
    CHECK(!says(v, "outcome", "never was one"));
}

TEST_CASE("A downgrade that the ensemble did not keep is sent again") {
    auto s = shared_story::good();
    auto elsewhere = s;
    elsewhere.downgrade(0x22c, 0x11, 0); // by a leader without a majority
    s.logs = {s.logs[0], s.logs[0], elsewhere.logs[0]};
    CHECK(rules_of(s.check()) == words{});
    CHECK(s.check().downgrades == 1);
}

TEST_CASE("A reader becomes a writer where nobody else stands in line") {
    auto s = shared_story::good();
    const int zxid = GENERATE(0x2a8, 0x298, 0x268);
    s.asks(600, "worker-1", 22, "shared"); // holds before and after, as far as anybody believes
    s.granted(605, "worker-1", 22, 0x285);
    s.lets_go(630, "worker-1", 22);
    s.create(0x285, 0x11, reader_node(7), "r-7");
    if (zxid > 0x285) {
        s.remove(zxid, 0x11, reader_node(7));
    } else {
        s.remove(0x286, 0x11, reader_node(7));
    }
    const auto v = s.check();
    if (zxid < 0x2a0) {
        CHECK(rules_of(v) == words{});
    } else {
        CHECK(rules_of(v) == words{"exclusion"});
        CHECK(says(v, "exclusion",
                   writer_node(8) + ", which was not alone behind " + reader_node(6)));
    }
}

TEST_CASE("What a release says is said of the ticket by which a reader became a writer") {
    auto s = shared_story::good();
    SECTION("it stays until the session is closed") {
        s.unlog(0x2c0);
        const auto v = s.check();
        CHECK(rules_of(v) == words{"outcome"});
        CHECK(says(v, "outcome", "it went only when its session was closed"));
    }
    SECTION("another hand deletes it") {
        s.unlog(0x2c0);
        s.remove(0x2c0, 0x99, writer_node(8));
        s.asks(650, "worker-1", 23, "writer");
        s.granted(660, "worker-1", 23, 0x2d0);
        s.lets_go(670, "worker-1", 23);
        s.create(0x2d0, 0x11, writer_node(9), "w-9");
        s.hand_off(0x2e0, 0x11, writer_node(9));
        CHECK(rules_of(s.check()) == words{"overlap"});
        s.say(652, "schedule", "deleted", {{"path", writer_node(8)}, {"since", 651'000'000}});
        CHECK(rules_of(s.check()) == words{});
    }
}

TEST_CASE("A ticket by which a reader became a writer is one of the log") {
    auto s = shared_story::good();
    SECTION("of another kind") {
        s.line("worker-2", "upgraded", 15)["token"] = token_of(0x280);
        CHECK(says(s.check(), "exclusion", "its ticket is of another kind"));
    }
    SECTION("not there at all") {
        s.unlog(0x2a0);
        CHECK(rules_of(s.check()) == words{"exclusion"});
        CHECK(says(s.check(), "exclusion", "no transaction of the log created its ticket"));
    }
}

TEST_CASE("An upgrade or a downgrade is answered once") {
    auto s = shared_story::good();
    SECTION("or the worker was killed") {
        for (const auto& kind : {"upgraded", "release", "stop"}) {
            s.forget("worker-2", kind, std::string{kind} == "stop" ? 0 : 15);
        }
        s.unlog(0x2c0);
        s.say(650, "schedule", "kill", {{"target", "worker-2"}});
        CHECK(rules_of(s.check()) == words{});
    }
    SECTION("and not never") {
        s.forget("worker-2", "upgraded", 15);
        const auto v = s.check();
        CHECK(rules_of(v) == words{"served"});
        CHECK(says(v, "served", "nobody was told what became of its upgrade"));
    }
    SECTION("and not twice") {
        s.say(461, "worker-1", "downgraded", {{"id", 11}, {"code", "system:0 Success"}});
        CHECK(rules_of(s.check()) == words{"history"});
        CHECK(says(s.check(), "history", "told of a change that nobody had asked for"));
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
        CHECK(rules_of(s.check()) == words{"history"});
        CHECK(says(s.check(), "history", "changes what it does not hold"));
    }
}
