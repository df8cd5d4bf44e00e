// SPDX-License-Identifier: BSL-1.0
// Permits that the server does not let their session delete.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const auto kept = in_permits(permit_text(true, 1, 0));

struct denied_permit : user_of_permits {
    /// A try found too few free, and may not take its permit back.
    denied_permit() {
        connect();
        take(1, 1, false);
        told_limit(3);
        tried(1, 0, 3);
        REQUIRE(events() == texts{"failed 1 would_block"});
        reply("delete " + kept, replies::no_auth());
        REQUIRE(open().empty());
    }
};

} // namespace

TEST_CASE("no permit is made beside one that may not be deleted") {
    denied_permit f;
    for (ticket_id id = 2; id <= 4; ++id) {
        f.take(id, 1, false);
        CHECK(f.open() == texts{"delete " + kept});
        f.reply("delete " + kept, replies::no_auth());
        CHECK(f.events() == texts{"failed " + std::to_string(id) + " release_denied"});
        CHECK(f.open().empty());
    }
    CHECK(std::ranges::count_if(f.told.notes, [](const std::string& note) {
              return note.starts_with("DELETE is denied");
          }) == 1);
}

TEST_CASE("a release that is denied says so, and its permit is tried again") {
    user_of_permits f;
    f.holds();
    f.release(1);
    f.reply("delete " + kept, replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied"});
    f.take(2);
    CHECK(f.open() == texts{"delete " + kept});
}
