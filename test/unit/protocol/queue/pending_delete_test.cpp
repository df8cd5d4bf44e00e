// SPDX-License-Identifier: BSL-1.0
// Deletions whose outcome is unknown: asked for by czxid, and sent again in order.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// Ticket 1's release was sent and its reply lost.
void lose_release(machine_fixture& f) {
    f.hold();
    f.release(1);
    f.cut();
    CHECK(f.events().empty());
    f.reconnect();
    f.reply("check /l", replies::ok());
    REQUIRE(f.open() == texts{"get " + ticket_path(0)});
}

} // namespace

TEST_CASE("a release that is sent again checks the ticket that was granted meanwhile") {
    machine_fixture f;
    f.hold();
    f.release(1);
    f.reply("release " + ticket_path(0), {.code = zookeeper_code::throttled});
    f.acquire(2);
    f.enqueued(1, 1);
    f.reply("list " + ticket_path(1), replies::node(101, our_session));
    f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "turn-5-lock-0000000001"}));
    REQUIRE(f.events() == texts{"granted 2 token 101"});
    f.live(2s); // T/8
    SECTION("and lets others in") {
        f.reply(machine_fixture::hand_over(0, 1), replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    SECTION("and not before the loss of that one is told") {
        f.reply(machine_fixture::hand_over(0, 1), replies::failed_at(0, 3));
        CHECK(f.events() == texts{"lost 2 ticket_deleted"});
        f.reply("release " + ticket_path(0), replies::ok());
    }
}

TEST_CASE("each ticket that leaves checks the ticket that was granted meanwhile") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.enqueued(1, 1);
    f.cancel(2);
    f.release(1);
    f.reply("delete " + ticket_path(1), {.code = zookeeper_code::throttled});
    f.reply("release " + ticket_path(0), {.code = zookeeper_code::throttled});
    f.acquire(3);
    f.enqueued(2, 2);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "turn-5-lock-0000000001",
                                         "turn-5-lock-0000000002"}));
    REQUIRE(f.events() == texts{"failed 2 cancelled", "granted 3 token 102"});
    f.live(2s); // T/8
    CHECK(f.open() == texts{"transact " + ticket_path(1) + "check " + ticket_path(2) + "; delete " +
                                ticket_path(1),
                            machine_fixture::hand_over(0, 2)});
}

TEST_CASE("a lost reader whose ticket was deleted keeps its session's writers out") {
    machine_fixture f;
    f.begin_shared_acquire();
    f.reader_enqueued(0, 0);
    f.acquire(2);
    f.enqueued(1, 1);
    f.cut();
    f.pass(15s); // a second before the deadline
    REQUIRE(f.events() == texts{"granted 1 token 100", "lost 1 lease_lost"});
    f.accept();
    f.reply("check " + ticket_path(1), replies::ok());
    while (f.open().front() != "list /l")
        f.reply(f.open().front(), replies::no_node());
    f.reply("list /l", replies::listing({"turn-5-lock-0000000001"}));
    CHECK(f.open() == texts{});
    CHECK(f.events().empty());
    f.pass(1500ms);
    CHECK(f.open() == texts{"delete " + reader_path(0), "list /l"});
}

TEST_CASE("a ticket that no deletion on its way checks is asked for before it is granted") {
    machine_fixture f(machine_fixture::unshared());
    f.hold();
    std::string own;
    SECTION("a writer that was looking for its place") {
        f.acquire(2);
        f.enqueued(2, 2);
        f.reply("watch " + ticket_path(1), replies::no_node());
        f.release(1);
        f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "turn-5-lock-0000000002"}));
        f.reply("release " + ticket_path(0), replies::ok());
        own = ticket_path(2);
    }
    SECTION("a reader behind the one that was handed the lock") {
        f.acquire_shared(3);
        f.reader_enqueued(1, 1);
        f.acquire_shared(2);
        f.release(1);
        REQUIRE(f.events() == texts{"granted 3 token 101"});
        f.reader_enqueued(2, 2);
        f.reply("transact " + ticket_path(0) + "check " + reader_path(1) + "; set " +
                    ticket_path(0) + "; delete " + ticket_path(0),
                replies::ok());
        own = reader_path(2);
    }
    REQUIRE(f.events() == texts{"released 1 none"});
    f.reply("check " + own, replies::ok());
    CHECK(f.events() == texts{"granted 2 token 102"});
}

TEST_CASE("a lost lock whose ticket was deleted keeps others out until its deadline") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.enqueued(1, 1);
    f.release(1);
    f.cut();
    f.pass(15s); // a second before the deadline
    REQUIRE(f.events() == texts{"granted 2 token 101", "lost 2 lease_lost"});
    f.accept();
    f.reply("check " + ticket_path(1), replies::no_node());
    f.reply("get " + ticket_path(0), replies::node(100, our_session));
    f.reply(machine_fixture::hand_over(0, 1), replies::failed_at(0, 3));
    CHECK(f.open().empty());
    SECTION("those of its session") {
        f.acquire(3);
        f.enqueued(2, 1);
        CHECK(f.open().empty());
    }
    SECTION("those of its session, where no node shows it") {
        f.acquire(3);
        f.enqueued(2, 0);
        CHECK(f.open().empty());
    }
    SECTION("those of others") {
        f.live(2s);
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply("release " + ticket_path(0), replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    CHECK(f.events().empty());
}

TEST_CASE(
    "a node that a throttling server did not show is asked for again, and not deleted by name") {
    machine_fixture f;
    lose_release(f);
    f.reply("get " + ticket_path(0), replies::code(zookeeper_code::throttled));
    CHECK(f.open().empty());
    SECTION("a beat later") { f.live(2s); }
    SECTION("or on the next connection") {
        f.cut();
        f.reconnect();
        f.reply("check /l", replies::ok());
    }
    f.reply("get " + ticket_path(0), replies::node(222, other_session));
    CHECK(f.open().empty());
    CHECK(f.events() == texts{"released 1 none"});
}

TEST_CASE("several pending deletes are sent again in the order of the line") {
    machine_fixture f;
    f.hold();
    for (ticket_id id = 2; id <= 3; ++id) {
        f.acquire(id);
        f.enqueued(static_cast<std::int32_t>(id - 1), static_cast<std::int32_t>(id - 1));
    }
    f.release(1);
    f.cut();
    f.release(2); // granted locally
    f.reconnect();
    f.release(3);
    CHECK(f.events() == texts{"granted 2 token 101", "granted 3 token 102"});
    while (f.open().front() != "get " + ticket_path(0))
        f.reply(f.open().front(), replies::ok());
    // The later ones wait until the fate of the first is known.
    CHECK(f.open() == texts{"get " + ticket_path(0)});
    f.reply("get " + ticket_path(0), replies::node(100, our_session));
    CHECK(f.open() == texts{"release " + ticket_path(0), "release " + ticket_path(1),
                            "release " + ticket_path(2)});
}
