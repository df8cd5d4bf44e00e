// SPDX-License-Identifier: BSL-1.0
// A search for the ticket before an own one, where a writer before it becomes a reader meanwhile.
// Such a writer's ticket gets its downgraded name, and may be met by either name, or by none.
#include "unit/protocol/machine_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a node with a downgraded name that goes with no session is not the writer before") {
    machine_fixture f;
    f.begin_shared_acquire();
    f.reader_enqueued(5, 1);
    f.reply("watch " + ticket_path(4), replies::node(104, other_session));
    f.reply("get " + reader_path(4), replies::no_node());
    f.deleted(ticket_path(4));
    f.reply("get " + downgraded_path(4), replies::node(120, 0)); // of no session
    f.reply("list /l", replies::listing({"turn-5-down-read-lock-0000000004",
                                         "turn-5-lock-0000000003", "turn-5-read-lock-0000000005"}));
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"watch " + ticket_path(3)}); // who stands before it
}

TEST_CASE("an own writer that becomes a reader is not told that a foreign client deleted it") {
    machine_fixture f(machine_fixture::unshared());
    f.hold();
    f.acquire_shared(2);
    f.reader_enqueued(1, 1); // behind the own writer
    f.acquire(3);
    f.enqueued(2, 2);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "turn-5-read-lock-0000000001",
                                         "turn-5-lock-0000000002"}));
    f.reply("watch " + reader_path(1), replies::node(101, our_session));
    f.downgrade(1);
    f.cut();
    f.reconnect();
    f.reply("check " + ticket_path(0), replies::ok());
    f.reply("get " + ticket_path(0), replies::node(100, our_session));
    f.reply("get " + downgraded_path(0), replies::no_node());
    f.reply("watch " + reader_path(1), replies::no_node()); // deleted by a foreign client
    REQUIRE(f.open() == texts{"downgrade " + ticket_path(0), "list /l"});
    f.events();
    // The first try has come through late: the old name is gone, and so is nothing else.
    f.reply("downgrade " + ticket_path(0), replies::no_node());
    f.reply("list /l",
            replies::listing({"turn-5-down-read-lock-0000000000", "turn-5-lock-0000000002"}));
    CHECK(f.events().empty());
    while (f.open().front() != "get " + downgraded_path(0))
        f.reply(f.open().front(), replies::no_node());
    f.reply("get " + downgraded_path(0), replies::node(120, our_session));
    const auto told = f.events();
    CHECK(std::count(told.begin(), told.end(), "downgraded 1 none") == 1);
    CHECK(std::count(told.begin(), told.end(), "lost 1 ticket_deleted") == 0);
}
