// SPDX-License-Identifier: BSL-1.0
// The end of a session: everybody is told, what is pending is sent, nothing comes after.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a session that is closed leaves no timer, which would keep its program alive") {
    machine_fixture f;
    acquire_request what;
    what.path = "/l";
    SECTION("of a queue") {}
    SECTION("of a lock of one node") { what.single_node = true; }
    SECTION("of a semaphore") {
        what.permits = 1;
        what.stated_limit = 1;
    }
    f.connect();
    f.machine.acquire(f.now, 1, what);
    f.cut();
    f.machine.close(f.now);
    CHECK(f.events() == texts{"failed 1 session_closed", "closed"});
    CHECK_FALSE(f.machine.next_timer());
}

TEST_CASE("a close that nobody answers ends after the connect time limit") {
    machine_fixture f;
    f.connect();
    f.machine.close(f.now);
    f.pass(10s - 1ns);
    CHECK(f.events().empty());
    f.pass(1ns);
    CHECK(f.events() == texts{"closed"});
}

TEST_CASE("stop ends everything in the same turn, and nothing is sent") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.wire.open.clear();
    f.machine.stop(f.now);
    CHECK(f.events() == texts{"lost 1 session_closed", "failed 2 session_closed"});
    CHECK(f.open().empty());
    CHECK(f.machine.phase() == session_phase::closed);
    f.pass(100s);
    CHECK(f.open().empty());
    CHECK(f.events().empty());
}
