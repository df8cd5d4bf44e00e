// SPDX-License-Identifier: BSL-1.0
// The permits that are held are watched: a foreign client may set them, or delete them.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const auto other_own = in_permits(permit_text(true, 1, 1));

struct watched_permits : user_of_permits {
    watched_permits() {
        holds(2);
        pass(2s);
        while (!open().empty()) // its watches, and a beat
            reply(open().front(), replies::node(200, our_session));
    }
};

} // namespace

TEST_CASE("a permit whose data a foreign client has set is watched again, and stays held") {
    watched_permits f;
    f.changed(other_own);
    REQUIRE(f.open() == texts{"watch " + own_permit, "watch " + other_own});
    f.reply("watch " + own_permit, replies::node(200, our_session));
    SECTION("it is there") {
        f.reply("watch " + other_own, replies::node(200, our_session));
        CHECK(f.events().empty());
        f.changed(other_own);
        CHECK(f.open() == texts{"watch " + own_permit, "watch " + other_own});
    }
    SECTION("it was deleted since") {
        f.reply("watch " + other_own, replies::no_node());
        CHECK(f.events() == texts{"lost 1 ticket_deleted"});
        // Also the one that only a read shows to be gone.
        CHECK(f.open() == texts{f.permits_text("delete", true, 1, 0, 2)});
    }
    SECTION("it may not be read") {
        f.reply("watch " + other_own, replies::no_auth());
        f.deleted(other_own); // no watch of ours
        CHECK(f.events().empty());
        f.live(2s);
        CHECK(f.events().empty());
    }
}

TEST_CASE("a beat checks all permits of one acquire, and finds the one that is gone") {
    user_of_permits f;
    f.holds(2);
    f.pass(2s);
    const auto beat = "transact " + own_permit + "check " + own_permit + "; check " + other_own;
    while (f.open().front() != beat)
        f.reply(f.open().front(), replies::node(200, our_session));
    f.reply(beat,
            {.code = zookeeper_code::no_node, .results = {{}, {.code = zookeeper_code::no_node}}});
    CHECK(f.events() == texts{"lost 1 ticket_deleted"});
    CHECK(std::ranges::count(f.open(), f.permits_text("delete", true, 1, 0, 2)) == 1);
}
