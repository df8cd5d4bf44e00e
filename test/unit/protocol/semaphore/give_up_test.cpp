// SPDX-License-Identifier: BSL-1.0
// Who acquires leases gives up, wherever it is: it is told at once, and leaves nothing behind.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct taking_user : user_of_leases {
    taking_user() {
        is_taking();
        cancel(1);
        REQUIRE(events() == texts{"failed 1 cancelled"});
        REQUIRE(open() == texts{take_text(2, 4)});
    }
};

} // namespace

TEST_CASE("who gives up while it takes leases is told once, and they are given back") {
    taking_user f;
    f.cancel(1);
    f.taken(2, 4, 4);
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"delete " + in_leases(lease_text(false, 2, 4))});
}

TEST_CASE("what was given up holds nothing that could be cancelled or released") {
    user_of_leases f;
    f.holds();
    f.cancel(1); // too late: it is held
    CHECK(f.events().empty());
    CHECK(f.open().empty());
    f.take(2);
    f.cancel(2);
    f.release(2);
    CHECK(f.events() == texts{"failed 2 cancelled", "released 2 lost_deadline"});
}
