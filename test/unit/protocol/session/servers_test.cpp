// SPDX-License-Identifier: BSL-1.0
// Another list of servers takes the place of the one before.
#include "unit/protocol/machine_fixture.hpp"

namespace {

std::vector<std::size_t> tried(const machine_fixture& f) {
    std::vector<std::size_t> result;
    for (const auto& each : f.wire.connects)
        result.push_back(each.server);
    return result;
}

using places = std::vector<std::size_t>;

} // namespace

TEST_CASE("a connection to a server of the new list stays") {
    machine_fixture f;
    f.connect();
    f.machine.set_servers(f.now, 3, 1, true);
    CHECK(f.wire.drops == 0);
    CHECK(f.machine.phase() == session_state::connected);
    f.cut(); // the next one of the new list
    CHECK(tried(f) == places{0, 2});
}

TEST_CASE("a connection to another server ends, and the session goes on at the new one at once") {
    machine_fixture f;
    f.connect();
    f.machine.set_servers(f.now, 2, 1, false);
    CHECK(f.wire.drops == 1);
    CHECK(f.wire.connects.size() == 1); // its end comes first
    f.cut();
    CHECK(tried(f) == places{0, 1});
    CHECK(f.wire.connects.back().session.session_id == our_session);
    f.accept();
    CHECK(f.machine.phase() == session_state::connected);
    CHECK(f.told.phases == texts{"connecting", "connected", "suspended", "connected"});
}

TEST_CASE("what is held stands over a move, and its lease is proved by the new server") {
    machine_fixture f;
    f.hold();
    f.live(5s);
    f.machine.set_servers(f.now, 1, 0, false);
    f.cut();
    f.accept();
    f.live(40s);
    CHECK(f.events().empty());
    CHECK(f.wire.drops == 1);
}

TEST_CASE("an attempt at another server is given up, and its late answer is not taken") {
    machine_fixture f;
    f.machine.connect(f.now);
    f.machine.set_servers(f.now, 2, 1, false);
    CHECK(f.wire.drops == 1);
    f.accept();
    CHECK(f.machine.phase() == session_state::connecting);
    f.cut();
    CHECK(tried(f) == places{0, 1});
    f.accept();
    CHECK(f.machine.phase() == session_state::connected);
}

TEST_CASE("a session that pauses between attempts ends the pause") {
    machine_fixture f(machine_fixture::three_servers());
    f.connect();
    for (int i = 0; i < 3; ++i)
        f.cut();
    REQUIRE(f.machine.phase() == session_state::suspended);
    const auto before = f.wire.connects.size();
    f.machine.set_servers(f.now, 2, 1, false);
    REQUIRE(f.wire.connects.size() == before + 1);
    CHECK(f.wire.connects.back().server == 1);
    f.pass(20ms);
    CHECK(f.wire.connects.size() == before + 1); // one attempt at a time
    CHECK(f.wire.drops == 0);
}

TEST_CASE("no place beyond the new list is tried") {
    machine_fixture f(machine_fixture::three_servers());
    f.connect();
    f.machine.set_servers(f.now, 2, 0, false);
    f.wire.connects.clear();
    for (int i = 0; i < 6; ++i) {
        f.cut();
        f.pass(2s); // past any back-off
    }
    CHECK(f.wire.connects.size() >= 4);
    for (const auto at : tried(f))
        CHECK(at < 2);
}

TEST_CASE("a session that is not in use tries nothing") {
    machine_fixture f;
    SECTION("before its first connect") {
        f.machine.set_servers(f.now, 3, 2, false);
        CHECK(f.wire.connects.empty());
        f.machine.connect(f.now);
        CHECK(tried(f) == places{2});
    }
    SECTION("when it is closed") {
        f.connect();
        f.machine.stop(f.now);
        f.machine.set_servers(f.now, 3, 2, false);
        CHECK(f.wire.connects.size() == 1);
        CHECK(f.wire.drops == 0);
    }
    SECTION("when it is being closed: that goes on") {
        f.connect();
        f.acquire(1); // a create that has to be answered first
        f.machine.close(f.now);
        REQUIRE(f.machine.phase() == session_state::closing);
        f.machine.set_servers(f.now, 3, 2, false);
        CHECK(f.wire.drops == 0);
    }
}

TEST_CASE("of two lists in a row the last one counts") {
    machine_fixture f;
    f.connect();
    f.machine.set_servers(f.now, 3, 2, false);
    f.machine.set_servers(f.now, 2, 1, false);
    CHECK(f.wire.drops == 1);
    f.cut();
    CHECK(tried(f) == places{0, 1});
}

TEST_CASE("a cut for a move is no sign of a request that is too large") {
    machine_fixture f;
    f.connect();
    f.inquire(7, {.op = operation::get, .path = '/' + std::string(3000, 'x')});
    for (int i = 0; i < 4; ++i) {
        REQUIRE_FALSE(f.wire.open.empty());
        f.machine.set_servers(f.now, 2, 1, false);
        f.cut();
        f.accept();
    }
    CHECK(f.machine.least_refused_bytes() == 0);
}
