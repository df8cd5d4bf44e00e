// SPDX-License-Identifier: BSL-1.0
// try_acquire: takes what is free, waits for nobody, watches nothing.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

void start_trying(machine_fixture& f) {
    f.connect();
    f.try_acquire(1);
    f.reply("get /l", replies::folder(5));
}

} // namespace

TEST_CASE("a try that finds somebody takes its ticket back") {
    machine_fixture f;
    start_trying(f);
    f.enqueued(1, 1);
    CHECK(f.open() == texts{"get " + ticket_path(0)}); // without a watch
    f.reply("get " + ticket_path(0), replies::node(100, other_session));
    CHECK(f.events() == texts{"failed 1 would_block"});
    CHECK(f.open() == texts{"delete " + ticket_path(1)});
    f.reply("delete " + ticket_path(1), replies::ok());
    CHECK(f.events().empty());
}

TEST_CASE("a try behind a ticket of the own session fails without a request") {
    machine_fixture f;
    f.hold();
    f.try_acquire(2);
    CHECK(f.events() == texts{"failed 2 would_block"});
    CHECK(f.open().empty());
}

TEST_CASE("a try by a reader is let in beside a reader of the own session") {
    machine_fixture f(machine_fixture::unshared());
    f.begin_shared_acquire();
    f.reader_enqueued(0, 0);
    REQUIRE(f.events() == texts{"granted 1 token 100"});
    acquire_request what;
    what.path = "/l";
    what.kind = ticket_kind::shared;
    what.patient = false;
    f.machine.acquire(f.now, 2, what);
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"enqueue /l/turn-5-read-lock-"});
}
