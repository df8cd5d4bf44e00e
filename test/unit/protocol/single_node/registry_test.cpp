// SPDX-License-Identifier: BSL-1.0
// What a session knows of its lock paths: no lock is below another one, and an acquire that wants
// one incarnation of a path is compared with the one that the session has seen.
#include "unit/protocol/single_node/single_node_fixture.hpp"

TEST_CASE("no lock path lies below another, of whatever kind") {
    contender_of_one f;
    f.holds();
    f.acquire(2, "/l/below");
    f.acquire(3, "/m/n");
    f.machine.acquire(f.now, 4, {.path = "/m", .single_node = true});
    CHECK(f.events() == texts{"failed 2 nested_path", "failed 4 nested_path"});
}

TEST_CASE("an acquire may want a newer incarnation than the session has seen, and no older one") {
    contender_of_one f;
    f.holds();
    f.release(1);
    f.reply("unhold /l/holder", replies::ok());
    f.events();
    acquire_request what;
    what.path = "/l";
    what.single_node = true;
    what.incarnation = GENERATE(4, 9); // the session has seen the lock path as 5
    f.machine.acquire(f.now, 2, what);
    if (what.incarnation < 5) {
        CHECK(f.events() == texts{"failed 2 path_renewed"});
        return;
    }
    REQUIRE(f.open() == texts{"hold /l/holder"});
    auto answer = replies::placed("/l/holder", 200, 0);
    answer.stat.czxid = what.incarnation;
    f.reply("hold /l/holder", answer);
    CHECK(f.events() == texts{"granted 2 token 200"});
}
