// SPDX-License-Identifier: BSL-1.0
// A permit with several handles: it is held by the last of them, and lost by all.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct shared_permit : user_of_permits {
    shared_permit() {
        holds();
        share(1, 2);
        share(2, 3);
    }
};

} // namespace

TEST_CASE("a permit stays until the last of its handles is released, whichever that is") {
    shared_permit f;
    std::vector<ticket_id> order{1, 2, 3};
    const int turns = GENERATE(0, 1, 2, 3, 4, 5);
    for (int i = 0; i < turns; ++i)
        std::ranges::next_permutation(order);
    for (const auto handle : {order[0], order[1]}) {
        f.release(handle);
        CHECK(f.events() == texts{"released " + std::to_string(handle) + " none"});
        CHECK(f.open().empty());
    }
    f.release(order[2]);
    f.reply("delete " + own_permit, replies::ok());
    CHECK(f.events() == texts{"released " + std::to_string(order[2]) + " none"});
}

TEST_CASE("a released handle is told nothing more, and the others are") {
    shared_permit f;
    f.release(1);
    REQUIRE(f.events() == texts{"released 1 none"});
    SECTION("a foreign client deletes the permit") {
        f.live(2s); // the own watch goes on with the next handle
        f.deleted(own_permit);
        CHECK(f.events() == texts{"lost 2 ticket_deleted", "lost 3 ticket_deleted"});
    }
    SECTION("a beat does not find it") {
        f.pass(2s);
        f.reply("check " + own_permit, replies::no_node());
        CHECK(f.events() == texts{"lost 2 ticket_deleted", "lost 3 ticket_deleted"});
    }
    SECTION("its deadline passes") {
        f.cut();
        f.pass(15s);
        CHECK(f.events() == texts{"lost 2 lease_lost", "lost 3 lease_lost"});
    }
    f.release(1);
    CHECK(f.events() == texts{"released 1 lease_lost"});
}

TEST_CASE("a handle of what is not held is nothing") {
    user_of_permits f;
    SECTION("it is not known") { f.connect(); }
    SECTION("it is still acquired") { f.is_first(1); }
    SECTION("it was released") {
        f.holds();
        f.release(1);
        f.reply("delete " + own_permit, replies::ok());
        f.events();
    }
    f.share(1, 2);
    f.release(2);
    CHECK(f.events() == texts{"released 2 lease_lost"});
}

TEST_CASE("what was given up holds nothing that could be cancelled or released") {
    user_of_permits f;
    f.holds();
    f.cancel(1); // too late: it is held
    CHECK(f.events().empty());
    CHECK(f.open().empty());
    f.take(2);
    f.cancel(2);
    f.release(2);
    CHECK(f.events() == texts{"failed 2 cancelled", "released 2 lease_lost"});
}
