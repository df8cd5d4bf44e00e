// SPDX-License-Identifier: BSL-1.0
// What a grant needs: a lease with enough left.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// Of what wait() made: its connection was dropped, and the next one's first write proves a lease.
void check_granted_by_handshake(machine_fixture& f) {
    f.cut();
    f.accept();
    f.reply("check " + ticket_path(1), replies::ok());
    f.reply("watch " + ticket_path(0), replies::no_node());
    f.reply("list /l", replies::listing({"turn-5-lock-0000000001"}));
    CHECK(f.events() == texts{"granted 1 token 101"});
}

} // namespace

TEST_CASE("a grant without a lease asks for one more write first") {
    machine_fixture f;
    f.connect();
    f.live(60s); // idle: reads only
    f.acquire(1);
    f.reply("get /l", replies::folder(5));
    f.enqueued(0, 0);
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"check " + ticket_path(0)});
    f.reply("check " + ticket_path(0), replies::ok());
    CHECK(f.events() == texts{"granted 1 token 100"});
    CHECK(*f.told.deadline - f.now >= 16s * 3 / 8);
}

TEST_CASE("if one more write is not enough the connection is dropped, and a handshake is") {
    machine_fixture f;
    f.wait();
    f.pass(2s); // a beat and the own watch, unanswered
    f.now += 13s;
    f.changed(ticket_path(0));
    REQUIRE(f.events().empty());
    while (!f.open().empty())
        f.reply(f.open().front(), replies::ok());
    CHECK(f.events().empty());
    CHECK(f.wire.drops == 1);
    check_granted_by_handshake(f);
}

TEST_CASE("a lock is not granted on a lease that cannot be proved anew in time") {
    machine_fixture f;
    f.wait();
    const bool in_time = GENERATE(true, false);
    f.now += in_time ? 5900ms : 6100ms; // a server that hung for that long, and answers again
    f.changed(ticket_path(0));
    CHECK((f.events() == texts{"granted 1 token 101"}) == in_time);
    if (!in_time) {
        f.reply("check " + ticket_path(1), replies::ok()); // what it proves is proved in 6 s
        CHECK(f.events().empty());
        CHECK(f.wire.drops == 1);
        check_granted_by_handshake(f);
    }
}

TEST_CASE("what is held is not put at risk for a grant: its loss is too near") {
    machine_fixture f;
    f.wait();
    f.hold_another(2);
    f.now += 12200ms; // hangs, and answers again: in 0.7 s the loss would be reported
    f.changed(ticket_path(0));
    const auto told = *f.told.deadline - 1s;
    REQUIRE(told - f.now < 1s);
    f.reply("check " + ticket_path(1), replies::ok());
    CHECK(f.wire.drops == 0);
    CHECK(f.open().back() == "check " + ticket_path(1)); // once more, behind the beat
    while (f.wire.drops == 0 && !f.open().empty())
        f.reply(f.open().front(), replies::ok());
    CHECK(f.events().empty());
    CHECK(f.wire.drops == 1); // for the grant: there is time to be back
    CHECK(*f.told.deadline - 1s - f.now > 1s);
}

TEST_CASE("a lock is not granted with less left than the margin: it would be lost at once") {
    auto options = machine_fixture::defaults();
    options.margin = 3s; // more than T/8, and allowed
    machine_fixture f(options);
    f.wait();
    f.now += 13500ms; // 2.5 s are left
    f.changed(ticket_path(0));
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"check " + ticket_path(1)});
}
