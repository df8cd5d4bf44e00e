// SPDX-License-Identifier: BSL-1.0
// A server that shakes hands and then says nothing, or carries out no write: its disk hangs.
#include "unit/protocol/machine_fixture.hpp"

namespace {

// Lets time pass; whenever the session asks for a connection it gets one, and nothing more.
void shake_hands_only(machine_fixture& f, duration time) {
    for (duration passed{}; passed < time; passed += 100ms) {
        f.pass(100ms);
        if (f.machine.phase() == session_state::suspended)
            f.accept();
    }
}

} // namespace

TEST_CASE("a connect that is never answered fails in time") {
    machine_fixture f;
    f.machine.connect(f.now);
    f.accept();
    shake_hands_only(f, 9900ms);
    CHECK(f.told.connect_results.empty());
    shake_hands_only(f, 200ms);
    CHECK(f.told.connect_results == texts{"connect_timeout"});
}

TEST_CASE("a look-up waits no longer than the limit for servers that carry out no write") {
    machine_fixture f;
    f.machine.look_up(f.now, 7, {.path = "/l"});
    f.accept();
    shake_hands_only(f, 29s);
    CHECK(f.events().empty());
    shake_hands_only(f, 2s);
    CHECK(f.events() == texts{"not looked up 7 unreachable"});
}

TEST_CASE("an inquiry waits no longer than the limit for servers that answer nothing") {
    machine_fixture f;
    f.inquire(7, {.op = operation::get, .path = "/l"});
    f.accept();
    shake_hands_only(f, 29s);
    CHECK(f.events().empty());
    shake_hands_only(f, 2s);
    CHECK(f.events() == texts{"unanswered 7 unreachable"});
}

TEST_CASE("who has a time limit is told by it that no server is there") {
    machine_fixture f;
    acquire_request what{.path = "/l", .limit = 3s};
    SECTION("a ticket") { f.machine.acquire(f.now, 1, what); }
    SECTION("a lock of one node") {
        what.single_node = true;
        f.machine.acquire(f.now, 1, what);
    }
    SECTION("a lease") {
        what.permits = 1;
        f.machine.acquire(f.now, 1, what);
    }
    f.pass(2s);
    REQUIRE(f.events().empty());
    f.pass(1s);
    CHECK(f.events() == texts{"failed 1 unreachable"});
}

TEST_CASE("a question with a time limit ends by it") {
    machine_fixture f;
    const bool connected = GENERATE(true, false);
    if (connected)
        f.connect();
    f.inquire(7, {.op = operation::get, .path = "/l"}, f.now + 1s);
    f.pass(900ms);
    REQUIRE(f.events().empty());
    f.pass(100ms);
    CHECK(f.events() == texts{connected ? "unanswered 7 timeout" : "unanswered 7 unreachable"});
}
