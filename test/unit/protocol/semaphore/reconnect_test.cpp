// SPDX-License-Identifier: BSL-1.0
// What a cut leaves in doubt: leases that were not seen since, and takes of those that gave up.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a found lease is not granted before this connection has shown it") {
    user_of_leases f;
    f.is_first(1);
    f.listed({}, 4);
    REQUIRE(f.open() == texts{f.take_text(2, 4)});
    f.cut();
    f.reconnect();
    while (f.open().front() != "get " + found_take) {
        const auto next = f.open().front();
        if (next == "list /s/leases")
            f.listed({lease_text(false, 2, 4)}, 5);
        else
            f.reply(next, next == "watch /s/limit" ? reply{.stat = {.czxid = semaphore_incarnation},
                                                           .data = limit_text(3)}
                                                   : replies::no_node());
    }
    f.reply("get " + found_take, replies::node(300, our_session));
    CHECK(f.events().empty());
    f.cut(); // and another hand deletes it
    f.reconnect();
    CHECK(f.events().empty());
    for (int answers = 0; answers < 10 && !f.open().empty(); ++answers)
        f.reply(f.open().front(), replies::no_node());
    CHECK(std::ranges::count(f.events(), "granted 1 token 300") == 0);
}

TEST_CASE("a limit is remembered for one connection: another may have the same version later") {
    user_of_leases f;
    f.holds();
    f.cut();
    f.take(2);
    f.reconnect(); // to servers that lost the limit of 3, and were set another since
    f.reply("check " + own_lease, replies::ok());
    f.told_limit(1);
    f.tried(2, 0, 1, 1);
    CHECK(f.events().empty());
    CHECK(f.open().front() == "delete " + in_leases(lease_text(true, 2, 1)));
}

TEST_CASE("who is first again after a cut counts all leases: who stood before may have come back") {
    user_of_leases f;
    f.is_first(1);
    f.listed({others_lease(false, 0), others_lease(false, 1), others_lease(false, 2)}, 4);
    f.cut();
    f.reconnect();
    while (!f.open().empty() && f.open().front() != "list /s/leases") {
        const auto next = f.open().front();
        f.reply(next, next == "watch /s/limit"
                          ? reply{.stat = {.czxid = semaphore_incarnation}, .data = limit_text(3)}
                      : next == "list /s/queue"
                          ? replies::listing({"turn-7-lock-0000000004"}, semaphore_incarnation)
                      : next.starts_with("watch ") ? replies::no_node()
                                                   : replies::ok());
    }
    // One that tried as the first, and was granted once more.
    f.listed({others_lease(false, 0), others_lease(false, 1), others_lease(true, 5)}, 6);
    CHECK(f.events().empty());
    CHECK(f.open().empty());
}
