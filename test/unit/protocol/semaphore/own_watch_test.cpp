// SPDX-License-Identifier: BSL-1.0
// The leases that are held are watched: another hand may set them, or delete them.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const auto other_own = in_leases(lease_text(true, 1, 1));

struct watched_leases : user_of_leases {
    watched_leases() {
        holds(2);
        pass(2s);
        while (!open().empty()) // its watches, and a beat
            reply(open().front(), replies::node(200, our_session));
    }
};

} // namespace

TEST_CASE("a lease whose data another hand has set is watched again, and stays held") {
    watched_leases f;
    f.changed(other_own);
    REQUIRE(f.open() == texts{"watch " + own_lease, "watch " + other_own});
    f.reply("watch " + own_lease, replies::node(200, our_session));
    SECTION("it is there") {
        f.reply("watch " + other_own, replies::node(200, our_session));
        CHECK(f.events().empty());
        f.changed(other_own);
        CHECK(f.open() == texts{"watch " + own_lease, "watch " + other_own});
    }
    SECTION("it was deleted since") {
        f.reply("watch " + other_own, replies::no_node());
        CHECK(f.events() == texts{"lost 1 lost_deleted"});
        // Also the one that only a read shows to be gone.
        CHECK(f.open() == texts{f.leases_text("delete", true, 1, 0, 2)});
    }
    SECTION("it may not be read") {
        f.reply("watch " + other_own, replies::no_auth());
        f.deleted(other_own); // no watch of ours
        CHECK(f.events().empty());
        f.live(2s);
        CHECK(f.events().empty());
    }
}

TEST_CASE("a beat checks all leases of one acquire, and finds the one that is gone") {
    user_of_leases f;
    f.holds(2);
    f.pass(2s);
    const auto beat = "transact " + own_lease + "check " + own_lease + "; check " + other_own;
    while (f.open().front() != beat)
        f.reply(f.open().front(), replies::node(200, our_session));
    f.reply(beat,
            {.code = zookeeper_code::no_node, .results = {{}, {.code = zookeeper_code::no_node}}});
    CHECK(f.events() == texts{"lost 1 lost_deleted"});
    CHECK(std::ranges::count(f.open(), f.leases_text("delete", true, 1, 0, 2)) == 1);
}
