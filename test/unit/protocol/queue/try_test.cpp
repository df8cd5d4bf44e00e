// SPDX-License-Identifier: BSL-1.0
// try_acquire: takes what is free, waits for nobody, watches nothing.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

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
