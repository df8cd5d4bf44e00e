// SPDX-License-Identifier: BSL-1.0
// The session expires, or is closed, at each step of an acquire and of a release.
#include "unit/protocol/single_node/single_node_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("who was not granted tries again in the next session") {
    contender_of_one f;
    SECTION("its path was asked for") {
        f.connect();
        f.take(1);
        f.begins_anew();
        f.reply("check /l", replies::no_node());
        f.reply("get /l", replies::folder(5));
    }
    SECTION("its node was made") {
        f.competes();
        f.begins_anew();
        f.reply("check /l", replies::ok());
    }
    SECTION("the holder was asked for") {
        f.competes();
        f.reply("hold /l/holder", replies::node_exists());
        f.begins_anew();
        f.reply("check /l", replies::ok());
    }
    SECTION("it waited") {
        f.waits();
        f.begins_anew();
        f.reply("check /l", replies::ok());
    }
    SECTION("its lease was proved") {
        f.confirms();
        f.begins_anew();
        f.reply("check /l", replies::ok());
    }
    CHECK(f.events().empty());
    f.made(200, 9);
    CHECK(f.events() == texts{"granted 1 token 200"});
    CHECK(f.open().empty());
}

TEST_CASE("a lock that was lost by its deadline is not lost again by the session's end") {
    contender_of_one f;
    f.loses();
    f.take(2);
    f.begins_anew();
    CHECK(f.events().empty());
    f.reply("check /l", replies::ok());
    f.made(200, 9);
    CHECK(f.events() == texts{"granted 2 token 200"});
    f.release(1);
    CHECK(f.events() == texts{"released 1 lost_deadline"});
    CHECK(f.open().empty()); // the new node stays
}

TEST_CASE("a close ends an acquire at once, and the session when all is answered") {
    contender_of_one f;
    SECTION("its path was asked for") {
        f.connect();
        f.take(1);
        f.machine.close(f.now);
        CHECK(f.wire.closes == 0);
        f.reply("get /l", replies::folder(5));
    }
    SECTION("its path was asked for, in vain") {
        f.connect();
        f.take(1);
        f.machine.close(f.now);
        f.reply("get /l", replies::no_auth());
    }
    SECTION("its node was made") { // and goes with the session
        f.competes();
        f.machine.close(f.now);
        CHECK(f.wire.closes == 0);
        f.made(100, 7);
    }
    SECTION("the holder was asked for") {
        f.competes();
        f.reply("hold /l/holder", replies::node_exists());
        f.machine.close(f.now);
        f.reply("watch /l/holder", replies::node(90, other_session));
    }
    SECTION("it waited") {
        f.waits();
        f.machine.close(f.now);
    }
    SECTION("its lease was proved") {
        f.confirms();
        f.machine.close(f.now);
        f.reply("check /l/holder", replies::ok());
    }
    SECTION("its node was looked for") {
        f.competes();
        f.cut();
        f.back();
        f.machine.close(f.now);
        f.examined(7, replies::node(100, our_session, f.own_data()));
    }
    SECTION("whose node stands there was asked for") {
        f.competes();
        f.cut();
        f.back();
        f.examined(7, replies::no_auth());
        f.machine.close(f.now);
        f.reply("exists /l/holder", replies::node(90, other_session));
    }
    CHECK(f.events() == texts{"failed 1 session_closed"});
    CHECK(f.open().empty());
    CHECK(f.wire.closes == 1);
}

TEST_CASE("where a session gives up, each who waits is told, and nobody else") {
    auto options = machine_fixture::defaults();
    options.retry_limit = 1;
    contender_of_one f(options);
    SECTION("one that waits") {
        f.waits();
        f.cut();
        CHECK(f.events() == texts{"failed 1 unreachable"});
    }
    SECTION("not one that has gone before") {
        f.competes();
        f.cancel(1);
        f.take(2);
        f.cut();
        CHECK(f.events() == texts{"failed 1 cancelled", "failed 2 unreachable"});
    }
    SECTION("one that releases") {
        f.holds();
        f.release(1);
        f.cut();
        CHECK(f.events() == texts{"released 1 unreachable"});
    }
    SECTION("not who holds: its lease runs") {
        f.holds();
        f.cut();
        CHECK(f.events().empty());
        f.cut(disconnect_reason::auth_failed);
        CHECK(f.events().empty());
        f.pass(15s);
        CHECK(f.events() == texts{"lost 1 lost_deadline"});
    }
}
