// SPDX-License-Identifier: BSL-1.0
// A holder watches its own node: what is reported of it, and when nothing is.
#include "unit/protocol/single_node/single_node_fixture.hpp"

TEST_CASE("an own node that was changed is watched again") {
    contender_of_one f;
    f.holds();
    f.watches_own();
    f.changed("/l/holder");
    f.reply("watch /l/holder", replies::node(100, our_session, "by a foreign client"));
    CHECK(f.events().empty());
    f.deleted("/l/holder");
    CHECK(f.events() == texts{"lost 1 ticket_deleted"});
}

TEST_CASE("a beat that finds a node gone concerns only its own lock") {
    contender_of_one f;
    f.holds();
    acquire_request another;
    another.path = "/a"; // before /l
    another.single_node = true;
    f.machine.acquire(f.now, 2, another);
    f.reply("get /a", replies::folder(6));
    f.reply("hold /a/holder", replies::placed("/a/holder", 101, 0, 6));
    CHECK(f.events() == texts{"granted 2 token 101"});
    f.pass(2s);
    while (f.open().front() != "check /l/holder")
        f.reply(f.open().front(), f.open().front().starts_with("watch /a")
                                      ? replies::node(101, our_session)
                                      : replies::node(100, our_session));
    f.reply("check /l/holder", replies::no_node());
    CHECK(f.events() == texts{"lost 1 ticket_deleted"});
}

TEST_CASE("an own watch that shows another node has the place looked at before anybody goes on") {
    contender_of_one f;
    f.holds();
    f.take(2);
    f.pass(2s);
    f.reply("check /l/holder", replies::ok());
    f.reply("watch /l/holder", replies::no_node());
    CHECK(f.events() == texts{"lost 1 ticket_deleted"});
    SECTION("it has gone indeed") { f.examined(8, replies::no_node()); }
    SECTION("a lagging server had not seen it: it is deleted") {
        f.examined(8, replies::node(100, our_session, f.own_data()));
        f.reply("unhold /l/holder", replies::ok());
    }
    f.made(110, 9);
    CHECK(f.events() == texts{"granted 2 token 110"});
}
