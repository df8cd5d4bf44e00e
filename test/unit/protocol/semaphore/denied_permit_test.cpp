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
        reply("delete " + kept, replies::no_auth());
        finds_no_stray(three);
        REQUIRE(events() == texts{"failed 1 would_block"});
        REQUIRE(open().empty());
    }
};

} // namespace

TEST_CASE("a permit that may not be deleted is tried again with each beat, and told once") {
    denied_permit f;
    for (int beat = 0; beat < 3; ++beat) {
        f.pass(2s);
        f.reply("delete " + kept, beat < 2 ? replies::no_auth() : replies::ok());
        f.reply("check /s/limit", replies::ok());
    }
    f.pass(2s);
    CHECK(f.open() == texts{"exists /"}); // nothing is left
    CHECK(std::ranges::count_if(f.told.notes, [](const std::string& note) {
              return note.starts_with("DELETE is denied");
          }) == 1);
}

TEST_CASE("a release that is denied says so, and an acquire waits for the permit that stays") {
    user_of_permits f;
    f.holds();
    f.release(1);
    f.reply("delete " + kept, replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied"});
    f.take(2);
    CHECK(f.open().size() == 1);
    CHECK(f.open().front().starts_with("transact ")); // it counts, as any other
    CHECK(f.events().empty());
}
