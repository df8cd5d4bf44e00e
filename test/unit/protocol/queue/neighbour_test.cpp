// SPDX-License-Identifier: BSL-1.0
// Tickets of one session in a row: no watch at the server, grants in the same turn.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// Ticket 1 holds at 0; tickets 2 to `last` stand behind it, each behind the one before.
void hold_with_neighbours(machine_fixture& f, ticket_id last) {
    f.hold();
    for (ticket_id id = 2; id <= last; ++id) {
        f.acquire(id);
        f.enqueued(static_cast<std::int32_t>(id - 1), static_cast<std::int32_t>(id - 1));
    }
    REQUIRE(f.open().empty());
    REQUIRE(f.events().empty());
}

// Tickets 1 (at 1) and 2 (at 2) wait, the first behind another session's.
void wait_with_neighbour(machine_fixture& f) {
    f.wait(1);
    f.acquire(2);
    f.enqueued(2, 2);
    REQUIRE(f.open().empty());
}

} // namespace

TEST_CASE("a writer's release grants all readers up to the next writer") {
    machine_fixture f(machine_fixture::unshared());
    f.hold();
    for (ticket_id id = 2; id <= 3; ++id) {
        f.acquire_shared(id);
        f.reader_enqueued(static_cast<std::int32_t>(id - 1), static_cast<std::int32_t>(id - 1));
    }
    f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "turn-5-read-lock-0000000001",
                                         "turn-5-read-lock-0000000002"}));
    f.acquire(4);
    f.enqueued(3, 3);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "turn-5-read-lock-0000000001",
                                         "turn-5-read-lock-0000000002", "turn-5-lock-0000000003"}));
    f.reply("watch " + reader_path(2), replies::node(102, our_session));
    f.release(1);
    CHECK(f.events() == texts{"granted 2 token 101", "granted 3 token 102"});
}

TEST_CASE("a watch whose event has fired is not inherited") {
    machine_fixture f;
    SECTION("of a ticket of Turnstile's") {
        wait_with_neighbour(f);
        f.deleted(ticket_path(0));
        f.reply("watch " + downgraded_path(0), replies::no_node());
    }
    SECTION("of another program's node") {
        const std::string other = "_c_0a-lock-0000000000";
        f.begin_acquire();
        f.enqueued(1, 1);
        f.reply("watch " + ticket_path(0), replies::no_node());
        f.reply("list /l", replies::listing({other, "turn-5-lock-0000000001"}));
        f.reply("watch /l/" + other, replies::node(100, other_session));
        f.acquire(2);
        f.enqueued(2, 2);
        f.deleted("/l/" + other);
    }
    REQUIRE(f.open() == texts{"list /l"});
    f.cancel(1);
    CHECK(f.open() == texts{"list /l", "delete " + ticket_path(1), "list " + ticket_path(2),
                            "watch " + ticket_path(0)});
}

TEST_CASE("a watch of an earlier connection is not inherited") {
    machine_fixture f;
    wait_with_neighbour(f);
    f.cut();
    f.cancel(1);
    f.reconnect();
    CHECK(f.open().back() == "list /l");
    CHECK(f.open().front() == "check " + ticket_path(2));
}

TEST_CASE("a reader does not inherit the watch on a reader") {
    machine_fixture f;
    f.begin_acquire();
    f.enqueued(1, 1);
    f.reply("watch " + ticket_path(0), replies::no_node());
    f.reply("list /l", replies::listing({"turn-5-read-lock-0000000000", "turn-5-lock-0000000001"}));
    f.reply("watch " + reader_path(0), replies::node(100, other_session));
    f.acquire_shared(2);
    f.reader_enqueued(2, 2);
    REQUIRE(f.open().empty()); // behind ticket 1
    f.cancel(1);
    f.reply("delete " + ticket_path(1), replies::ok());
    f.reply("watch " + ticket_path(0), replies::no_node());
    f.reply("get " + reader_path(0), replies::node(100, other_session));
    f.reply("list /l",
            replies::listing({"turn-5-read-lock-0000000000", "turn-5-read-lock-0000000002"}));
    CHECK(f.events() == texts{"failed 1 cancelled", "granted 2 token 102"});
}

TEST_CASE("a local successor that was deleted has lost before its predecessor's node goes") {
    machine_fixture f;
    hold_with_neighbours(f, 3);
    f.release(1);
    CHECK(f.events() == texts{"granted 2 token 101"});
    SECTION("while it holds the lock") {
        f.reply(machine_fixture::hand_over(0, 1), replies::failed_at(0, 3));
        CHECK(f.events() == texts{"lost 2 ticket_deleted"});
        f.reply("watch " + ticket_path(1), replies::no_node()); // the third one searches
        f.reply("release " + ticket_path(0), replies::ok());
        f.reply("list /l", replies::listing({"turn-5-lock-0000000002"}));
        CHECK(f.events() == texts{"released 1 none", "granted 3 token 102"});
    }
    SECTION("after it has let in the next one, which is checked in its place") {
        f.release(2);
        CHECK(f.events() == texts{"granted 3 token 102"});
        f.reply(machine_fixture::hand_over(0, 1), replies::failed_at(0, 3));
        f.reply(machine_fixture::hand_over(1, 2), replies::failed_at(1, 3));
        CHECK(f.events() == texts{"released 2 ticket_deleted"});
        CHECK(f.open() == texts{machine_fixture::hand_over(0, 2)});
        f.reply(machine_fixture::hand_over(0, 2), replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
}
