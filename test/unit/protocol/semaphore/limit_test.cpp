// SPDX-License-Identifier: BSL-1.0
// What a semaphore is: its limit, and its nodes.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("more permits than there can be are refused at once, and so is another limit") {
    user_of_permits f;
    f.connect();
    f.take(1, 4);
    f.told_limit(3);
    f.told_limit_for_sure(3);
    CHECK(f.events() == texts{"failed 1 too_many"});
    f.take(2, 1, true, 4);
    f.told_limit_for_sure(3);
    CHECK(f.events() == texts{"failed 2 limit_differs"});
    CHECK(f.open().empty());
}

TEST_CASE("a semaphore is made in one transaction, where nothing of another kind stands") {
    user_of_permits f;
    f.connect();
    f.take(1, 1, true, 3);
    f.reply("get /s/limit", replies::no_node());
    f.reply("get /s", replies::folder(5));
    SECTION("made") {
        f.reply("list /s", {.stat = {.czxid = 5, .version = 2}});
        f.reply("transact /scheck /s@2; create /s/limit; create /s/queue; create /s/leases",
                replies::ok());
        f.told_limit(3);
        f.tried(1, 0, 0);
        CHECK(f.events() == texts{"granted 1 token 200"});
    }
    SECTION("a mutex is in use there") {
        f.reply("list /s", replies::listing({"turn-5-lock-0000000001"}));
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
    }
}

TEST_CASE("without a limit, and where no acquire states one, there is no semaphore") {
    user_of_permits f;
    f.connect();
    f.take(1);
    f.reply("get /s/limit", replies::no_node());
    CHECK(f.events().empty());
    f.told_no_limit_for_sure();
    CHECK(f.events() == texts{"failed 1 no_limit"});
}
