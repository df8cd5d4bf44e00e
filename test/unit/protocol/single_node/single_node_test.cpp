// SPDX-License-Identifier: BSL-1.0
// What ends an acquire: its caller, its limit, the session.
#include "unit/protocol/single_node/single_node_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("an acquire that is cancelled leaves nothing") {
    contender_of_one f;
    SECTION("while it waits") {
        f.waits();
        f.cancel(1);
        CHECK(f.events() == texts{"failed 1 cancelled"});
        f.deleted("/l/holder");
        CHECK(f.open().empty());
    }
    SECTION("while the node is made") {
        f.connect();
        f.take(1);
        f.reply("get /l", replies::folder(5));
        f.cancel(1);
        CHECK(f.events() == texts{"failed 1 cancelled"});
        f.made(100, 7);
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events().empty());
    }
    SECTION("and the next of its session goes on") {
        f.waits();
        f.take(2);
        f.cancel(1);
        f.made(100, 7);
        CHECK(f.events() == texts{"failed 1 cancelled", "granted 2 token 100"});
    }
    SECTION("by its limit") {
        f.connect();
        f.take(1, true, 1s);
        f.reply("get /l", replies::folder(5));
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(90, other_session));
        f.live(1s);
        CHECK(f.events() == texts{"failed 1 timed_out"});
    }
}

TEST_CASE("a session that is closed tells all, and leaves the node to the server") {
    contender_of_one f;
    f.holds();
    f.take(2);
    f.machine.close(f.now);
    CHECK(f.events() == texts{"failed 2 session_closed", "lost 1 session_closed"});
    CHECK(f.wire.closes == 1);
}

TEST_CASE("while no server can be reached an acquire waits its own limit") {
    contender_of_one f;
    f.waits();
    f.cut();
    f.pass(30s);
    CHECK(f.events() == texts{"failed 1 unreachable"});
}
