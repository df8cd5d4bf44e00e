// SPDX-License-Identifier: BSL-1.0
// What becomes of a node that is ours: it is released, lost, kept, or shared by further handles.
#include "unit/protocol/single_node/single_node_fixture.hpp"

TEST_CASE("a lock lost by its deadline keeps its node until then") {
    contender_of_one f;
    f.holds();
    f.cut();
    f.pass(15s);
    CHECK(f.events() == texts{"lost 1 lease_lost"});
    f.release(1);
    CHECK(f.events() == texts{"released 1 lease_lost"});
    f.accept();
    f.reply(f.open().front(), replies::ok());
    f.examined(7, replies::node(100, our_session, f.own_data()));
    CHECK(f.open() == texts{"unhold /l/holder"});
}

TEST_CASE("a node that may not be deleted is told so, and tried again with each beat") {
    contender_of_one f;
    f.holds();
    f.take(2);
    f.release(1);
    f.reply("unhold /l/holder", replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied"});
    f.take(3, false);
    CHECK(f.events() == texts{"failed 3 would_block"});
    for (int beat = 0; beat < 3; ++beat) {
        f.pass(2s);
        f.examined(7, replies::node(100, our_session, f.own_data()));
        f.reply("check /l", replies::ok());
        f.reply("unhold /l/holder", beat < 2 ? replies::no_auth() : replies::ok());
        CHECK(f.events().empty());
    }
    f.made(110, 8);
    CHECK(f.events() == texts{"granted 2 token 110"});
}

TEST_CASE("a try that comes before the deletion is denied is told that the lock is taken") {
    contender_of_one f;
    f.holds();
    f.release(1);
    f.take(2, false);
    f.reply("unhold /l/holder", replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied", "failed 2 would_block"});
}

TEST_CASE("a try behind a cancelled acquire is told that the node cannot go") {
    contender_of_one f;
    f.holds();
    f.release(1);
    f.cut();
    f.reconnect(); // the session reads path and node, to see whether its deletion has happened
    f.take(2);
    f.cancel(2);
    f.take(3, false);
    CHECK(f.events() == texts{"failed 2 cancelled"});
    f.reply("check /l", replies::ok());
    f.examined(7, replies::node(100, our_session));
    f.reply("unhold /l/holder", replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied", "failed 3 would_block"});
}

TEST_CASE("who does not hold has nothing to release, and nothing to share") {
    contender_of_one f;
    f.waits();
    f.machine.share(f.now, 1, 2);
    f.release(2);
    f.release(1);
    CHECK(f.events() == texts{"released 2 lease_lost", "released 1 lease_lost"});
    f.deleted("/l/holder"); // it waits on
    f.made(100, 8);
    CHECK(f.events() == texts{"granted 1 token 100"});
    f.take(3);
    f.release(3); // which waits, and keeps waiting
    CHECK(f.events() == texts{"released 3 lease_lost"});
    f.release(1);
    f.release(1);
    CHECK(f.open() == texts{"unhold /l/holder"}); // once
    CHECK(f.events() == texts{"released 1 lease_lost"});
}
