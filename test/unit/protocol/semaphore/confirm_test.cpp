// SPDX-License-Identifier: BSL-1.0
// Permits that are there, before they are granted: the session's lease is still to be proved.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const auto proves_lease = user_of_permits::permits_text("check", true, 1, 0, 1);
const auto proves_found = user_of_permits::permits_text("check", false, 2, 4, 1);

// A permit was taken, the answer was lost, and a listing has found it.
struct found_permit : user_of_permits {
    found_permit() {
        is_taking();
        cut();
        reconnect();
        while (open().front() != "get " + found_take)
            answer_one();
        drops = wire.drops;
    }
    void answer_one() {
        const auto next = open().front();
        if (next == "list /s/leases")
            listed({permit_text(false, 2, 4)}, 5);
        else
            reply(next, next == "watch /s/limit"
                            ? turnstile::protocol::reply{.stat = {.czxid = semaphore_incarnation},
                                                         .data = limit_text(3)}
                            : replies::no_node());
    }

    int drops = 0; // until then
};

} // namespace

TEST_CASE("what is held is not put at risk for permits to be granted: its loss is too near") {
    user_of_permits f;
    f.connect();
    f.hold_another(2);
    f.take(1);
    f.told_limit(3);
    f.now += 12200ms; // hangs, and answers again: in 0.7 s the loss would be reported
    f.tried(1, 0, 0);
    f.reply(proves_lease, replies::ok());
    CHECK(f.wire.drops == 0);
    CHECK(f.open().back() == proves_lease); // once more
    CHECK(f.events().empty());
}

TEST_CASE("a found permit is granted with the number of its making") {
    found_permit f;
    f.reply("get " + found_take, replies::node(300, our_session));
    f.reply(proves_found, replies::ok());
    CHECK(f.events() == texts{"granted 1 token 300"});
}

TEST_CASE("a found permit that may not be read costs no connection") {
    found_permit f;
    f.reply("get " + found_take, replies::no_auth());
    f.reply(proves_found, replies::no_auth());
    CHECK(f.wire.drops == f.drops);
    CHECK(f.events() == texts{"failed 1 read_denied"});
    CHECK(std::ranges::count(f.open(), "delete " + found_take) == 1);
}
