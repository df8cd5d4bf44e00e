// SPDX-License-Identifier: BSL-1.0
// Requests for a lock of one node that the server refuses, sends back, or answers too late: which
// acquire is told, and what is asked again.
#include "unit/protocol/single_node/single_node_fixture.hpp"

TEST_CASE("a lock path that vanishes again and again ends the acquire, and not the one after it") {
    contender_of_one f;
    f.connect();
    f.take(1);
    f.take(2);
    f.reply("get /l", replies::folder(5));
    while (f.told.events.empty()) {
        f.reply("hold /l/holder", replies::no_node());
        f.reply("get /l", replies::folder(5));
    }
    CHECK(f.events() == texts{"failed 1 path_unstable"});
    f.made(100, 7);
    CHECK(f.events() == texts{"granted 2 token 100"});
}

TEST_CASE("a grant waits for a write that proves the lease") {
    contender_of_one f;
    f.confirms();
    SECTION("which does so") {
        f.reply("check /l/holder", replies::ok());
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("which finds the node gone: it is made again") {
        f.reply("check /l/holder", replies::no_node());
        f.made(110, 8);
        CHECK(f.events() == texts{"granted 1 token 110"});
    }
    SECTION("which is sent back, and proves nothing: the next connection's handshake does") {
        f.reply("check /l/holder", replies::code(zookeeper_code::throttled));
        CHECK(f.events().empty());
        CHECK(f.wire.drops == 1);
        f.cut();
        f.back();
        f.examined(7, replies::node(100, our_session, f.own_data()));
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("which is answered so late that it proves too little") {
        f.now += 13s;
        f.reply("check /l/holder", replies::ok());
        CHECK(f.events().empty());
        CHECK(f.wire.drops == 1);
    }
}

TEST_CASE("a release that finds no node says that a foreign client deleted it") {
    contender_of_one f;
    f.holds();
    f.release(1);
    SECTION("at once") { f.reply("unhold /l/holder", replies::no_node()); }
    SECTION("where it had not come to its deletion") {
        f.reply("unhold /l/holder", replies::code(zookeeper_code::throttled));
        f.live(2s);
        f.examined(8, replies::no_node());
    }
    CHECK(f.events() == texts{"released 1 ticket_deleted"});
    CHECK(f.open().empty());
}
