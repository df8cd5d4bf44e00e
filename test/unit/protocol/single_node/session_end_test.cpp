// SPDX-License-Identifier: BSL-1.0
// The session expires, or is closed, at each step of an acquire and of a release.
#include "unit/protocol/single_node/single_node_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

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
