// SPDX-License-Identifier: BSL-1.0
// Permits whose loss by the deadline was reported: they keep their place until then, and no longer.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a lost permit is given back at the deadline, not when its loss is told") {
    user_of_permits f;
    f.is_lost();
    REQUIRE(f.events() == texts{"lost 1 lease_lost"});
    f.live(1s - 1ns);
    CHECK(f.open().empty());
    SECTION("the deadline") {
        f.pass(1ns);
        CHECK(f.events().empty());
        CHECK(f.open() == texts{"delete " + own_permit});
        f.release(1);
    }
    SECTION("a release before it") { f.release(1); }
    CHECK(f.events() == texts{"released 1 lease_lost"});
    f.pass(500ms);
    CHECK(f.open() == texts{"delete " + own_permit});
}

TEST_CASE("one lost permit that is deleted gives no other of its acquire away") {
    user_of_permits f;
    f.connect();
    acquire_request what;
    what.path = "/s";
    what.permits = 2;
    what.max_hold = 10s;
    f.machine.acquire(f.now, 1, what);
    f.told_limit(3);
    f.tried(1, 0, 0, 0, 2);
    f.live(10s);
    REQUIRE(f.events() == texts{"granted 1 token 200", "near 1", "lost 1 held_too_long"});
    f.deleted(own_permit);
    CHECK(f.open().empty());
    f.live(1s); // the margin
    CHECK(f.open() == texts{f.permits_text("delete", true, 1, 0, 2)});
}

TEST_CASE("a lost permit with two handles stays until the last of them lets go") {
    user_of_permits f;
    f.holds();
    f.share(1, 2);
    f.loses();
    REQUIRE(f.events() == texts{"lost 1 lease_lost", "lost 2 lease_lost"});
    const auto next = GENERATE(as<ticket_id>{}, 1, 2);
    f.release(next);
    CHECK(f.events() == texts{"released " + std::to_string(next) + " lease_lost"});
    CHECK(f.open().empty());
    SECTION("the other one lets go") {
        f.release(3 - next);
        CHECK(f.events() == texts{"released " + std::to_string(3 - next) + " lease_lost"});
        CHECK(f.open() == texts{"delete " + own_permit});
    }
    SECTION("the deadline comes first") {
        f.live(1s);
        CHECK(f.open() == texts{"delete " + own_permit});
        CHECK(f.events().empty());
    }
}
