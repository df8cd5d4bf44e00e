// SPDX-License-Identifier: BSL-1.0
// Commands that come too early, or too late: while the session closes, or for what is not held.
#include "unit/protocol/machine_fixture.hpp"

TEST_CASE("while a session closes everything is refused at once") {
    machine_fixture f;
    f.hold();
    f.release(1);
    f.machine.close(f.now); // and waits for the release
    REQUIRE(f.wire.closes == 0);
    f.machine.connect(f.now);
    CHECK(f.told.connect_results.back() == "session_closed");
    f.acquire(2);
    f.inquire(7, {.op = operation::get, .path = "/l"});
    acquire_request what{.path = "/l"};
    f.machine.look_up(f.now, 8, what);
    f.machine.acquire(f.now, {{.id = 3, .what = what}, {.id = 4, .what = what}});
    CHECK(f.events() == texts{"failed 2 session_closed", "unanswered 7 session_closed",
                              "not looked up 8 session_closed", "failed 3 session_closed",
                              "failed 4 taken_back"});
    CHECK(f.open() == texts{"release " + ticket_path(0)});
}

TEST_CASE("who waits has nothing to downgrade, to upgrade or to share") {
    machine_fixture f;
    f.wait();
    f.downgrade(1);
    f.upgrade(1, 9);
    CHECK(f.events() == texts{"downgraded 1 lease_lost", "upgraded 1 lease_lost"});
    f.share(1, 2);
    f.release(2);
    f.release(1);
    CHECK(f.events() == texts{"released 2 lease_lost", "released 1 lease_lost"});
    f.changed(ticket_path(0)); // it has waited on
    CHECK(f.events() == texts{"granted 1 token 101"});
}

TEST_CASE("a session knows its own tickets, and by how many each is shared") {
    machine_fixture f;
    f.hold(3);
    const auto sharers = [&](const std::string& node) {
        return f.machine.kinds().sharers_of("/l", node);
    };
    CHECK(sharers("turn-5-lock-0000000003") == 1);
    f.share(1, 2);
    CHECK(sharers("turn-5-lock-0000000003") == 2);
    CHECK(sharers("turn-5-lock-0000000004") == 0);      // another's
    CHECK(sharers("turn-6-lock-0000000003") == 0);      // of another incarnation of the path
    CHECK(sharers("turn-5-read-lock-0000000003") == 0); // a reader
    CHECK(sharers("something") == 0);
    CHECK(f.machine.kinds().sharers_of("/m", "turn-5-lock-0000000003") == 0);
}
