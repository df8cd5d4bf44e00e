// SPDX-License-Identifier: BSL-1.0
// Who stands before a ticket: one get where the neighbour is there, one listing where it is not.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// Ticket 1 stands at sequence 5 and has found nobody at 4: a listing is due.
void need_listing(machine_fixture& f) {
    f.begin_acquire();
    f.enqueued(5, 1);
    f.reply("watch " + ticket_path(4), replies::no_node());
    REQUIRE(f.open() == texts{"list /l"});
}

} // namespace

TEST_CASE("another program's node with the own number is not the own ticket") {
    machine_fixture f;
    need_listing(f);
    f.reply("list /l", replies::listing({"other-lock-0000000005"}));
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"delete " + ticket_path(5), "enqueue /l/turn-5-lock-"});
}

TEST_CASE("a lock path that is gone at the listing is made again") {
    machine_fixture f;
    need_listing(f);
    f.reply("list /l", replies::no_node());
    f.reply("delete " + ticket_path(5), replies::no_node());
    f.reply("enqueue /l/turn-5-lock-", replies::no_node());
    f.reply("get /l", replies::no_node());
    CHECK(f.open() == texts{"container /l"});
}
