// SPDX-License-Identifier: BSL-1.0
// Look-ups whose end comes before their answer, and what a late answer still does.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct early_leaver : machine_fixture {
    using machine_fixture::machine_fixture;

    void look_up(inquiry_id id, bool single_node = false) {
        acquire_request what;
        what.path = "/l";
        what.single_node = single_node;
        machine.look_up(now, id, what);
    }
};

} // namespace

TEST_CASE("what a look-up has made before its session closed is left to the server") {
    early_leaver f;
    f.connect();
    f.look_up(7);
    f.reply("get /l", replies::no_node());
    f.machine.close(f.now);
    CHECK(f.events() == texts{"not looked up 7 session_closed"});
    f.reply("container /l", replies::made(5));
    CHECK(f.wire.closes == 1);
    CHECK(f.machine.kinds().queues().size() == 0);
    CHECK(f.open().empty());
}

TEST_CASE("a look-up makes no line where a lock of one node is or will be") {
    early_leaver f;
    f.connect();
    SECTION("it was for one") { f.look_up(7, true); }
    SECTION("one has come meanwhile") {
        f.look_up(7);
        acquire_request what;
        what.path = "/l";
        what.single_node = true;
        f.machine.acquire(f.now, 1, what);
    }
    f.reply("get /l", replies::folder(5));
    CHECK(f.events() == texts{"looked up 7: 5 0"});
    CHECK(f.machine.kinds().queues().size() == 0);
}
