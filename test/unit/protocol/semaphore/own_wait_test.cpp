// SPDX-License-Identifier: BSL-1.0
// Acquires that wait for permits of their own session.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

settings with(bool refused) {
    auto options = machine_fixture::defaults();
    options.refuses_own_waits = refused;
    return options;
}

} // namespace

TEST_CASE("an acquire that waits for permits of its own session") {
    const bool refused = GENERATE(true, false);
    user_of_permits f(with(refused));
    f.holds(3);
    f.take(2, 1, false); // a try does not wait
    f.tried(2, 0, 3, 3);
    f.reply("delete " + in_permits(permit_text(true, 2, 3)), replies::ok());
    f.finds_no_stray(f.three);
    REQUIRE(f.events() == texts{"failed 2 would_block"});
    REQUIRE(f.told.notes.empty());
    f.take(3);
    CHECK((f.events() == texts{"failed 3 would_deadlock"}) == refused);
    CHECK(f.open().empty() == refused);
    CHECK(f.told.notes.empty());
}
