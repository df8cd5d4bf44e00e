// SPDX-License-Identifier: BSL-1.0
// How soon, and where, a connection is tried again.
#include "unit/protocol/machine_fixture.hpp"

TEST_CASE("servers are tried in turn, with a delay after each round") {
    machine_fixture f(machine_fixture::three_servers());
    f.machine.connect(f.now);
    f.cut();
    f.cut();
    REQUIRE(f.wire.connects.size() == 3);
    CHECK(f.wire.connects[0].server == 0);
    CHECK(f.wire.connects[1].server == 1);
    CHECK(f.wire.connects[2].server == 2);
    f.cut();
    CHECK(f.wire.connects.size() == 3);
    f.pass(25ms - 1ns); // half of 50 ms: no randomness here
    CHECK(f.wire.connects.size() == 3);
    f.pass(1ns);
    REQUIRE(f.wire.connects.size() == 4);
    CHECK(f.wire.connects[3].server == 0);
    f.cut();
    f.cut();
    f.cut();
    f.pass(50ms - 1ns); // the second delay is twice the first
    CHECK(f.wire.connects.size() == 6);
    f.pass(1ns);
    CHECK(f.wire.connects.size() == 7);
}

TEST_CASE("a connection that lasted is followed by an attempt at once, on the next server") {
    machine_fixture f(machine_fixture::three_servers());
    f.connect();
    f.live(5s);
    f.cut();
    REQUIRE(f.wire.connects.size() == 2);
    CHECK(f.wire.connects[1].server == 1);
    CHECK(f.wire.connects[1].session.session_id == our_session);
    CHECK(f.told.phases.back() == "suspended");
}
