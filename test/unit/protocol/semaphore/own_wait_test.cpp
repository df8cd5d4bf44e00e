// SPDX-License-Identifier: BSL-1.0
// Acquires that wait for permits of their own session.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

settings with(own_wait how) {
    auto options = machine_fixture::defaults();
    options.own_waits = how;
    return options;
}

} // namespace

TEST_CASE("an acquire that waits for permits of its own session") {
    const auto how = GENERATE(own_wait::silent, own_wait::noted, own_wait::refused);
    user_of_permits f(with(how));
    f.holds(3);
    f.take(2, 1, false); // a try does not wait
    f.tried(2, 0, 3, 3);
    f.reply("delete " + in_permits(permit_text(true, 2, 3)), replies::ok());
    REQUIRE(f.events() == texts{"failed 2 would_block"});
    REQUIRE(f.told.notes.empty());
    f.take(3);
    CHECK((f.events() == texts{"failed 3 would_deadlock"}) == (how == own_wait::refused));
    CHECK(f.open().empty() == (how == own_wait::refused));
    CHECK(f.told.notes.size() == (how == own_wait::noted ? 1 : 0));
}

TEST_CASE("that acquires wait for their own session is noted once") {
    user_of_permits f(with(own_wait::noted));
    f.holds(3);
    f.take(2);
    f.tried(2, 0, 3, 3); // in vain: it is looked at again, and stands in line
    CHECK(f.told.notes.size() == 1);
    f.take(3);
    CHECK(f.told.notes.size() == 1);
}
