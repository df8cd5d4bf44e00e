// SPDX-License-Identifier: BSL-1.0
// An acquire of permits that its own session holds, all three of them. Where the session refuses
// own waits (session_options::own_wait) it fails; otherwise it waits.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

settings that_refuse(bool own_waits) {
    auto options = machine_fixture::defaults();
    options.refuses_own_waits = own_waits;
    return options;
}

} // namespace

TEST_CASE("an acquire that would wait for permits of its own session fails where that is refused") {
    const bool refused = GENERATE(true, false);
    user_of_permits f(that_refuse(refused));
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
