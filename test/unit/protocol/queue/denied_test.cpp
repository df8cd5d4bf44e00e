// SPDX-License-Identifier: BSL-1.0
// Tickets that the server does not let their session delete: nobody may wait behind them.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// The ticket 0 of acquire 1 was held, and its release denied.
void deny_release(machine_fixture& f) {
    f.hold();
    f.release(1);
    f.reply("release " + ticket_path(0), replies::no_auth());
    f.reply("delete " + ticket_path(0), replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied"});
    CHECK(f.open().empty());
}

// It is looked at first: whether it stands there, and is ours.
void look_again(machine_fixture& f) {
    CHECK(f.open() == texts{"get " + ticket_path(0)});
    f.reply("get " + ticket_path(0), replies::node(100, our_session));
    CHECK(f.open() == texts{"delete " + ticket_path(0)});
}

} // namespace

TEST_CASE("an acquire behind an own ticket that may not be deleted makes no ticket") {
    machine_fixture f;
    deny_release(f);
    for (ticket_id id = 2; id <= 4; ++id) {
        f.acquire(id);
        look_again(f);
        f.reply("delete " + ticket_path(0), replies::no_auth());
        CHECK(f.events() == texts{"failed " + std::to_string(id) + " release_denied"});
        CHECK(f.open().empty());
    }
}

TEST_CASE("what had to stay goes with the session, and the next one starts afresh") {
    machine_fixture f;
    deny_release(f);
    f.acquire(2);
    f.cut(disconnect_reason::expired);
    f.pass(3s);
    f.accept(other_session);
    CHECK(f.events().empty());
    CHECK(f.open().back() == "enqueue /l/turn-5-lock-");
}
