// SPDX-License-Identifier: BSL-1.0
// A limit that was read some time ago: it refuses no acquire, and no raise is missed.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("before a limit refuses an acquire, it is read again") {
    user_of_permits f;
    f.holds(); // the limit is 3
    SECTION("too many, until it was raised") {
        f.take(2, 4);
        CHECK(f.events().empty());
        f.told_limit_for_sure(5, 1);
        CHECK(f.open() == texts{f.try_text(2, 4, 1)});
    }
    SECTION("another than the stated one, until it was changed") {
        f.take(2, 1, true, 5);
        CHECK(f.events().empty());
        f.told_limit_for_sure(5, 1);
        CHECK(f.open() == texts{f.try_text(2, 1, 1)});
    }
    SECTION("it is as it was") {
        f.take(2, 4);
        f.told_limit_for_sure(3);
        CHECK(f.events() == texts{"failed 2 too_many"});
        CHECK(f.open().empty());
    }
    SECTION("and not by a question that was asked before the acquire came") {
        f.take(2, 4);
        f.take(3, 5);
        f.told_limit_for_sure(3);
        CHECK(f.events() == texts{"failed 2 too_many"});
        f.told_limit_for_sure(5, 1);
        CHECK(f.open() == texts{f.try_text(2, 5, 1)});
    }
}

TEST_CASE("a limit that a server reads while it lags behind refuses no acquire") {
    user_of_permits f;
    f.connect();
    SECTION("too many") {
        f.take(1, 4);
        f.told_limit(3);
        CHECK(f.events().empty());
        f.told_limit_for_sure(5, 1);
        CHECK(f.open() == texts{f.try_text(1, 4, 1)});
    }
    SECTION("no semaphore") {
        f.take(1);
        f.reply("get /s/limit", replies::no_node());
        CHECK(f.events().empty());
        f.told_limit_for_sure(3);
        CHECK(f.open() == texts{f.try_text(1)});
    }
    SECTION("in line") {
        f.take(1, 2);
        f.told_limit(2);
        f.tried(1, 1, 0, 0, 2);
        f.reply("transact /sdelete " + in_permits(permit_text(true, 1, 0)) + "; delete " +
                    in_permits(permit_text(true, 1, 1)),
                replies::ok());
        f.reply(enqueues, replies::placed(place(4), 250, 1, semaphore_incarnation));
        f.told_limit(1, 1, true);
        CHECK(f.events().empty());
        f.reply("watch " + place(3), replies::node(240, other_session));
        f.told_limit_for_sure(2, 2, true);
        CHECK(f.events().empty());
    }
}

TEST_CASE("an acquire in line for too many is told though a busy server puts the proof off") {
    user_of_permits f;
    f.connect();
    f.take(1, 3);
    f.told_limit(3);
    f.tried(1, 1, 0, 0, 3);
    f.reply(f.permits_text("delete", true, 1, 0, 3), replies::ok());
    f.reply(enqueues, replies::placed(place(4), 250, 1, semaphore_incarnation));
    f.told_limit(3, 0, true);
    f.reply("watch " + place(3), replies::node(240, other_session));
    f.changed("/s/limit");
    f.told_limit(2, 1, true);
    const bool proof = GENERATE(true, false);
    f.reply(proves_limit, proof ? replies::code(zookeeper_code::throttled) : replies::ok());
    if (proof)
        f.told_limit(2, 1, true);
    else
        f.reply("watch /s/limit", replies::code(zookeeper_code::throttled));
    CHECK(f.events().empty());
    f.pass(2s);
    while (!f.open().empty() && f.told.events.empty()) {
        const auto next = f.open().front();
        if (next == "watch /s/limit")
            f.told_limit(2, 1, true);
        else // a beat, the ticket's own watch, and the proof
            f.reply(next, replies::node(250, our_session));
    }
    CHECK(f.events() == texts{"failed 1 too_many"});
}

TEST_CASE(
    "permits of another incarnation than the limit's are taken back, and the limit read anew") {
    user_of_permits f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.tried(1, 0, 0, 0, 1, semaphore_incarnation + 1);
    CHECK(f.events().empty());
    f.reply("delete " + in_permits(permit_text(true, 1, 0)), replies::ok());
    CHECK(f.open() == texts{"get /s/limit"});
}
