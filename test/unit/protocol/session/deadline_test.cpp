// SPDX-License-Identifier: BSL-1.0
// The deadline of a held lock: reported before anything else, and never taken back.
#include "unit/protocol/machine_fixture.hpp"

TEST_CASE("a holder without answers is told the loss T/16 before the deadline") {
    machine_fixture f;
    f.hold();
    f.cut();
    f.pass(15s - 1ns);
    CHECK(f.events().empty());
    f.pass(1ns);
    CHECK(f.events() == texts{"lost 1 lease_lost"});
}

TEST_CASE("after a pause the loss comes before anything that the late input tells") {
    machine_fixture f;
    f.hold();
    f.acquire(2, "/m");
    f.reply("get /m", replies::folder(6));
    REQUIRE(f.open() == texts{"enqueue /m/turn-6-lock-"});
    f.now += 20s; // no timer ran: the process was stopped
    SECTION("a reply that would grant another lock") {
        f.reply("enqueue /m/turn-6-lock-", replies::placed("/m/turn-6-lock-0000000000", 9, 0, 6));
    }
    SECTION("the end of the connection") { f.cut(); }
    SECTION("the session's expiry") { f.cut(disconnect_reason::expired); }
    SECTION("a release") { f.release(1); }
    SECTION("a cancel") { f.cancel(2); }
    SECTION("close") { f.machine.close(f.now); }
    SECTION("a timer") { f.machine.on_time(f.now); }
    SECTION("a watch") { f.deleted(ticket_path(0)); }
    REQUIRE_FALSE(f.told.events.empty());
    CHECK(f.told.events.front() == "lost 1 lease_lost");
}

namespace {

// Ticket 1 holds and ticket 2 stands behind it in the same session; the loss of 1 is reported 1 s
// before the deadline, on a connection that was made since and stays.
void lose_with_an_heir(machine_fixture& f) {
    f.hold();
    f.acquire(2);
    f.enqueued(1, 1);
    f.cut();
    f.pass(15s);
    f.accept();
    REQUIRE(f.events() == texts{"lost 1 lease_lost"});
    f.reply(f.open().front(), replies::ok()); // the beat, of either
    REQUIRE(f.open().empty());
}

} // namespace

TEST_CASE("a lock lost by its deadline is given away at the deadline, not when it is told") {
    machine_fixture f;
    lose_with_an_heir(f);
    f.live(1s - 1ns);
    CHECK(f.events().empty());
    CHECK(f.open().empty());
    SECTION("the deadline") {
        f.pass(1ns);
        CHECK(f.events().empty());
    }
    SECTION("a release before it") {
        f.release(1);
        CHECK(f.events() == texts{"released 1 lease_lost"});
    }
    CHECK(f.open() == texts{"delete " + ticket_path(0), "list /l"});
    f.pass(500ms);
    CHECK(f.open().size() == 2); // it leaves once
    f.reply("delete " + ticket_path(0), replies::ok());
    f.reply("list /l", replies::listing({"turn-5-lock-0000000001"}));
    CHECK(f.events() == texts{"granted 2 token 101"});
}
