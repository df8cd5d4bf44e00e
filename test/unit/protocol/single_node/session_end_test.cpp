// SPDX-License-Identifier: BSL-1.0
// The session gives up, or is closed.
#include "unit/protocol/single_node/single_node_fixture.hpp"

TEST_CASE("where a session gives up, each who waits is told, and nobody else") {
    contender_of_one f;
    SECTION("one that waits") {
        f.waits();
        f.cut(disconnect_reason::auth_failed);
        CHECK(f.events() == texts{"failed 1 auth_failed"});
    }
    SECTION("not one that has gone before") {
        f.competes();
        f.cancel(1);
        f.take(2);
        f.cut(disconnect_reason::auth_failed);
        CHECK(f.events() == texts{"failed 1 cancelled", "failed 2 auth_failed"});
    }
    SECTION("one that releases") {
        f.holds();
        f.release(1);
        f.cut(disconnect_reason::auth_failed);
        CHECK(f.events() == texts{"released 1 unreachable"});
    }
    SECTION("not who holds: its lease runs") {
        f.holds();
        f.cut();
        CHECK(f.events().empty());
        f.cut(disconnect_reason::auth_failed);
        CHECK(f.events().empty());
        f.pass(15s);
        CHECK(f.events() == texts{"lost 1 lease_lost"});
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
