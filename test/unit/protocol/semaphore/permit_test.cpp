// SPDX-License-Identifier: BSL-1.0
// What a semaphore holds: released by its names, lost with one of several, forgotten.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("several permits are one acquire: released together, lost with one of them") {
    user_of_permits f;
    f.holds(2);
    const auto both = "transact /sdelete " + in_permits(permit_text(true, 1, 0)) + "; delete " +
                      in_permits(permit_text(true, 1, 1));
    SECTION("released") {
        f.release(1);
        f.reply(both, replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    SECTION("released one by one where the transaction fails") {
        f.release(1);
        f.reply(both, replies::no_node());
        f.reply("delete " + in_permits(permit_text(true, 1, 0)), replies::ok());
        f.reply("delete " + in_permits(permit_text(true, 1, 1)), replies::no_node());
        CHECK(f.events() == texts{"released 1 ticket_deleted"});
    }
    SECTION("lost") {
        f.pass(2s);
        while (!f.open().empty()) // its watches, and a beat
            f.reply(f.open().front(), f.open().front().starts_with("watch")
                                          ? replies::node(200, our_session)
                                          : replies::ok());
        f.deleted(in_permits(permit_text(true, 1, 1)));
        CHECK(f.events() == texts{"lost 1 ticket_deleted"});
    }
}

TEST_CASE("no other lock is acquired where a semaphore of the session is in use") {
    user_of_permits f;
    f.holds();
    f.acquire(2, "/s");
    CHECK(f.events() == texts{"failed 2 wrong_kind"});
    f.release(1);
    f.acquire(3, "/s");
    CHECK(f.events() == texts{"failed 3 wrong_kind"}); // its permit may stand yet
    f.reply("delete " + in_permits(permit_text(true, 1, 0)), replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
    f.acquire(4, "/s"); // its nodes show the kind
    CHECK(f.open() == texts{"get /s"});
}

TEST_CASE("a semaphore that rests is forgotten, with all that it remembers") {
    user_of_permits f;
    f.holds();
    f.release(1);
    f.reply("delete " + in_permits(permit_text(true, 1, 0)), replies::ok());
    CHECK(f.machine.kinds().of({.path = {}, .permits = 1}).contains("/s"));
    f.live(25s);
    CHECK_FALSE(f.machine.kinds().of({.path = {}, .permits = 1}).contains("/s"));
    CHECK(f.machine.kinds().queues().size() == 0);
}
