// SPDX-License-Identifier: BSL-1.0
// Free leases, tried in one transaction.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a try that finds a line, or too few leases, takes its leases back") {
    user_of_leases f;
    f.connect();
    f.take(1, 1, false);
    f.told_limit(3);
    SECTION("a line") { f.tried(1, 1, 0); }
    SECTION("too few") { f.tried(1, 0, 3); }
    CHECK(f.events() == texts{"failed 1 would_block"});
    CHECK(f.open() == texts{"delete " + in_leases(lease_text(true, 1, 0))});
}

TEST_CASE(
    "leases of another incarnation than the limit's are taken back, and the limit read anew") {
    user_of_leases f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.tried(1, 0, 0, 0, 1, semaphore_incarnation + 1);
    CHECK(f.events().empty());
    f.reply("delete " + in_leases(lease_text(true, 1, 0)), replies::ok());
    CHECK(f.open() == texts{"get /s/limit"});
}

TEST_CASE("a try is counted against the limit that its transaction has checked") {
    user_of_leases f;
    f.is_first(1); // and has the limit watched
    f.cancel(1);
    f.listed({}, 4);
    f.reply("delete " + place(4), replies::ok());
    f.changed("/s/limit");
    f.take(2, 1, false);
    f.told_limit(2, 1);
    f.tried(2, 0, 2, 4);
    CHECK(f.events() == texts{"failed 1 cancelled", "granted 2 token 200"});
}
