// SPDX-License-Identifier: BSL-1.0
// Takes whose answer was lost: carried out late, in part gone again, or never.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct late_user : user_of_leases {
    /// Its take was sent, its connection broke, and it is back. The sweep is open.
    void comes_back(std::uint32_t count = 1) {
        is_taking(count);
        cut();
        reconnect();
        reply("check " + place(4), replies::ok());
    }
};

} // namespace

TEST_CASE("leases of a lost take of which some are gone again are given back") {
    late_user f;
    f.comes_back(2);
    f.listed({lease_text(false, 2, 5)}, 6);
    const auto open = f.open();
    CHECK(std::ranges::count(open, "delete " + in_leases(lease_text(false, 2, 5))) == 1);
    CHECK(std::ranges::count(open, "delete " + place(4)) == 1); // its ticket stands for nothing now
    CHECK(f.events().empty());
}
