// SPDX-License-Identifier: BSL-1.0
// The end of a session: everybody is told, what is pending is sent, nothing comes after.
#include "unit/protocol/machine_fixture.hpp"

TEST_CASE("a session that is closed leaves no timer, which would keep its program alive") {
    machine_fixture f;
    acquire_request what{.path = "/l"};
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

TEST_CASE("a close that nobody answers ends after a third of the timeout, or its own limit") {
    auto options = machine_fixture::defaults();
    auto limit = duration{16s} / 3;
    bool hasty = false;
    SECTION("a third") {}
    SECTION("the connect time limit") { options.connect_timeout = limit = 3s; }
    SECTION("at once, where the caller does not want to wait") {
        limit = 50ms;
        hasty = true;
    }
    machine_fixture f(options);
    f.connect();
    f.machine.close(f.now, hasty);
    CHECK(f.wire.closes == 1);
    f.pass(limit - 1ns);
    CHECK(f.events().empty());
    f.pass(1ns);
    CHECK(f.events() == texts{"closed"});
}

TEST_CASE("a close that waits for a release ends when the server is given up") {
    machine_fixture f;
    f.hold();
    f.release(1);
    f.machine.close(f.now);
    CHECK(f.wire.closes == 0);
    SECTION("after the next beat") { // which is due in 2 s
        f.pass(2s + duration{16s} / 3 - 1ns);
        CHECK(f.events().empty());
        f.pass(1ns);
    }
    SECTION("in haste") {
        machine_fixture g;
        g.hold();
        g.release(1);
        g.machine.close(g.now, true);
        g.pass(50ms);
        CHECK(g.events() == texts{"released 1 unreachable", "closed"});
        return;
    }
    CHECK(f.events() == texts{"released 1 unreachable", "closed"});
}

TEST_CASE("stop ends everything in the same turn, and nothing is sent") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.wire.open.clear();
    f.machine.stop(f.now);
    CHECK(f.events() == texts{"lost 1 session_closed", "failed 2 session_closed"});
    CHECK(f.open().empty());
    CHECK(f.machine.phase() == session_state::closed);
    f.pass(100s);
    CHECK(f.open().empty());
    CHECK(f.events().empty());
}
