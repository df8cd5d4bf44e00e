// SPDX-License-Identifier: BSL-1.0
// A caller that gives up, at each step of its acquire: it is told once, and no node of its stays.
#include "unit/protocol/single_node/single_node_fixture.hpp"

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

TEST_CASE("an acquire that has been cancelled does not take the lock from one that may not wait") {
    contender_of_one f;
    f.competes();
    f.cancel(1);
    f.take(2, false);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    SECTION("its node is made after all") {
        f.made(100, 7);
        f.reply("unhold /l/holder", replies::ok());
        f.made(110, 8);
        CHECK(f.events() == texts{"granted 2 token 110"});
    }
    SECTION("another session holds") {
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("exists /l/holder", replies::node(90, other_session));
        CHECK(f.events() == texts{"failed 2 would_block"});
    }
    CHECK(f.open().empty());
}
