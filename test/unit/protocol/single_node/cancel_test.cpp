// SPDX-License-Identifier: BSL-1.0
// A caller that gives up, at each step of its acquire: it is told once, and no node of its stays.
#include "unit/protocol/single_node/single_node_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("an acquire cancelled while its node is made is told once, whatever the answer") {
    contender_of_one f;
    f.competes();
    f.cancel(1);
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    SECTION("made after all: deleted") {
        f.made(100, 7);
        f.reply("unhold /l/holder", replies::ok());
    }
    SECTION("denied") { f.reply("hold /l/holder", replies::no_auth()); }
    SECTION("another's stands there, and nobody waits for it") {
        f.reply("hold /l/holder", replies::node_exists());
    }
    SECTION("of an earlier incarnation of the path") {
        f.reply("hold /l/holder", replies::no_node());
    }
    CHECK(f.events().empty());
    CHECK(f.open().empty());
}

TEST_CASE("one cancelled in line does not disturb who is before it") {
    contender_of_one f;
    SECTION("who waits") {
        f.waits();
        f.take(2);
        f.cancel(2);
        CHECK(f.events() == texts{"failed 2 cancelled"});
        f.deleted("/l/holder");
        f.made(100, 8);
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("who leaves") {
        f.holds();
        f.release(1);
        f.take(2);
        f.cancel(2);
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events() == texts{"failed 2 cancelled", "released 1 none"});
        CHECK(f.open().empty());
    }
    SECTION("who leaves, and looks for its node") {
        f.holds();
        f.release(1);
        f.reply("unhold /l/holder", replies::code(zookeeper_code::bad_version));
        f.take(2);
        f.cancel(2);
        f.examined(8, replies::node(100, our_session, f.own_data()));
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events() == texts{"failed 2 cancelled", "released 1 none"});
        CHECK(f.open().empty());
    }
}

TEST_CASE("what is held is not cancelled") {
    contender_of_one f;
    f.holds();
    f.cancel(1);
    CHECK(f.events().empty());
    f.release(1);
    f.reply("unhold /l/holder", replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
}
