// SPDX-License-Identifier: BSL-1.0
// A lock that may be held for a limited time: lost at its end, and deleted a margin later.
#include "unit/protocol/queue/upgrade_fixture.hpp"
#include "unit/protocol/semaphore/semaphore_fixture.hpp"
#include "unit/protocol/session/company_fixture.hpp"
#include "unit/protocol/single_node/single_node_fixture.hpp"

namespace {

acquire_request limited(duration limit, const std::string& path = "/l") {
    return {.path = path, .max_hold = limit};
}

// Ticket 1 holds "/l" for a minute at most. The margin is 1 s.
struct limit_fixture : machine_fixture {
    explicit limit_fixture(settings options = defaults()) : machine_fixture(std::move(options)) {
        connect();
        machine.acquire(now, 1, limited(1min));
        reply("get /l", replies::folder(5));
        enqueued(0, 0);
        REQUIRE(told.take() == texts{"granted 1 token 100"});
    }
    void outlive_limit() {
        live(1min);
        REQUIRE(told.take() == texts{"near 1", "lost 1 held_too_long"});
    }
    bool asks_for_ticket() {
        return std::ranges::any_of(
            open(), [](const auto& each) { return each.find(ticket_path(0)) != each.npos; });
    }
};

} // namespace

TEST_CASE("a lock is lost at the end of its limit, with a warning, and deleted a margin later") {
    limit_fixture f;
    f.live(57s - 1ns); // the warning comes as long before as that of a loss by the deadline: 3 s
    CHECK(f.events().empty());
    f.live(1ns);
    CHECK(f.events() == texts{"near 1"});
    f.live(3s - 1ns);
    CHECK(f.events().empty());
    f.live(1ns);
    CHECK(f.events() == texts{"lost 1 held_too_long"});
    f.live(1s - 1ns);
    CHECK(f.open().empty());
    f.live(1ns);
    REQUIRE(f.open() == texts{"delete " + ticket_path(0)});
    f.reply("delete " + ticket_path(0), replies::ok());
    CHECK(f.events().empty()); // the loss was reported already
    SECTION("a release after that") {
        f.release(1);
        CHECK(f.events() == texts{"released 1 lease_lost"});
    }
    SECTION("no timer is left of it") {
        f.live(2min);
        CHECK(f.events().empty());
    }
}

TEST_CASE("a release before the end of the limit is a release") {
    limit_fixture f;
    f.release(1);
    f.reply("release " + ticket_path(0), replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
    f.live(2min);
    CHECK(f.events().empty());
    CHECK_FALSE(f.asks_for_ticket());
}

TEST_CASE("a release in the margin deletes the ticket at once, and says that it was lost") {
    limit_fixture f;
    f.outlive_limit();
    f.release(1);
    CHECK(f.events() == texts{"released 1 held_too_long"});
    f.reply("delete " + ticket_path(0), replies::ok());
    f.live(2min);
    CHECK(f.events().empty());
    CHECK_FALSE(f.asks_for_ticket());
}

TEST_CASE("what was lost by its limit neither writes nor changes its kind") {
    limit_fixture f;
    f.outlive_limit();
    f.downgrade(1);
    CHECK(f.events() == texts{"downgraded 1 held_too_long"});
    f.upgrade(1, 9);
    CHECK(f.events() == texts{"upgraded 1 held_too_long"});
    guarded_write what;
    what.locks = {1};
    f.machine.write(f.now, 7, what);
    CHECK(f.events() == texts{"unanswered 7 not_held"});
}

TEST_CASE("after a pause a loss by the limit comes before anything that the late input tells") {
    limit_fixture f;
    f.live(57s); // the warning
    f.events();
    f.now += 4s; // no timer ran: the process was stopped
    SECTION("a release") { f.release(1); }
    SECTION("a watch") { f.deleted(ticket_path(0)); }
    SECTION("the end of the connection") { f.cut(); }
    SECTION("the session's expiry") { f.cut(disconnect_reason::expired); }
    SECTION("close") { f.machine.close(f.now); }
    SECTION("a timer") { f.machine.on_time(f.now); }
    REQUIRE_FALSE(f.told.events.empty());
    CHECK(f.told.events.front() == "lost 1 held_too_long");
    CHECK(std::ranges::count(f.told.events, "lost 1 held_too_long") == 1);
    CHECK(std::ranges::none_of(f.told.events, [](const auto& each) {
        return each.starts_with("lost") && each != "lost 1 held_too_long";
    }));
}

TEST_CASE("a lock lost by its deadline before the limit is lost once") {
    limit_fixture f;
    f.live(40s);
    f.cut();
    f.pass(30s);
    CHECK(f.events() == texts{"lost 1 lease_lost"});
}

TEST_CASE("of the readers of a session a limit ends one, which has a ticket of its own") {
    machine_fixture f;
    auto what = limited(1min);
    what.kind = ticket_kind::shared;
    SECTION("it comes second") {
        f.begin_shared_acquire();
        f.reader_enqueued(0, 0);
        f.machine.acquire(f.now, 2, what);
    }
    SECTION("it comes first") {
        f.connect();
        f.machine.acquire(f.now, 2, what);
        f.reply("get /l", replies::folder(5));
        f.reader_enqueued(0, 0);
        f.acquire_shared(1);
    }
    CHECK(f.events().size() == 1);
    f.reader_enqueued(1, 1);
    CHECK(f.events().size() == 1);
    f.live(1min);
    CHECK(f.events() == texts{"near 2", "lost 2 held_too_long"});
    f.release(1);
    CHECK(f.open().size() == 1);
    f.release(2);
    CHECK(f.open().size() == 2);
}

TEST_CASE("neither a downgrade nor an upgrade moves the end of the limit") {
    machine_fixture f;
    f.connect();
    auto what = limited(1min);
    SECTION("to read") {
        f.machine.acquire(f.now, 1, what);
        f.reply("get /l", replies::folder(5));
        f.enqueued(0, 0);
        f.live(30s);
        f.downgrade(1);
        f.reply("downgrade " + ticket_path(0), replies::ok());
        REQUIRE(f.events() == texts{"granted 1 token 100", "downgraded 1 none"});
        f.reply("list " + downgraded_path(0), replies::node(120, our_session));
    }
    SECTION("to write") {
        what.kind = ticket_kind::shared;
        f.machine.acquire(f.now, 1, what);
        f.reply("get /l", replies::folder(5));
        f.reader_enqueued(0, 0);
        REQUIRE(f.events() == texts{"granted 1 token 100"});
        f.live(30s);
        upgrading::begin_upgrade(f);
        upgrading::end_upgrade(f);
        f.reply("delete " + reader_path(0), replies::ok());
    }
    f.live(30s - 1ns);
    CHECK(f.events() == texts{"near 1"});
    f.live(1ns);
    CHECK(f.events() == texts{"lost 1 held_too_long"});
}

TEST_CASE("a lock of one node and its handles are lost by the limit, the node stays for a margin") {
    contender_of_one f;
    f.connect();
    auto what = limited(4s);
    what.single_node = true;
    f.machine.acquire(f.now, 1, what);
    f.reply("get /l", replies::folder(5));
    f.made(100, 7);
    f.share(1, 2);
    f.watches_own();
    f.live(2s);
    CHECK(f.events() == texts{"granted 1 token 100", "near 1", "near 2", "lost 1 held_too_long",
                              "lost 2 held_too_long"});
    f.release(1);
    CHECK(f.events() == texts{"released 1 held_too_long"});
    f.live(1s - 1ns);
    CHECK(f.open().empty());
    SECTION("the last handle lets go") {
        f.release(2);
        CHECK(f.events() == texts{"released 2 held_too_long"});
    }
    SECTION("the margin ends") { f.live(1ns); }
    CHECK(f.open().front() == "unhold /l/holder");
    f.reply("unhold /l/holder", replies::ok());
    CHECK(f.events().empty());
}

TEST_CASE("a node that is deleted in the margin keeps its place for this session all the same") {
    contender_of_one f;
    f.connect();
    auto what = limited(4s);
    what.single_node = true;
    f.machine.acquire(f.now, 1, what);
    f.reply("get /l", replies::folder(5));
    f.made(100, 7);
    f.watches_own();
    f.take(2);
    f.live(2s);
    REQUIRE(f.events() == texts{"granted 1 token 100", "near 1", "lost 1 held_too_long"});
    f.deleted("/l/holder");
    CHECK(f.open().empty());
    SECTION("the margin ends") {
        f.live(1s);
        CHECK(f.events().empty());
    }
    SECTION("the holder lets go") {
        f.release(1);
        CHECK(f.events() == texts{"released 1 held_too_long"});
    }
    f.reply("unhold /l/holder", replies::no_node());
    f.made(110, 8);
    CHECK(f.events() == texts{"granted 2 token 110"});
}

TEST_CASE("a node that is gone, or seems to be, is not lost by its limit again") {
    contender_of_one f;
    f.connect();
    auto what = limited(1min);
    what.single_node = true;
    f.machine.acquire(f.now, 1, what);
    f.reply("get /l", replies::folder(5));
    f.made(100, 7);
    f.pass(2s);
    f.reply("check /l/holder", replies::ok());
    f.reply("watch /l/holder", replies::no_node()); // of a lagging server
    REQUIRE(f.events() == texts{"granted 1 token 100", "lost 1 ticket_deleted"});
    f.live(2min);
    CHECK(f.events().empty());
}

TEST_CASE("permits and their handles are lost by the limit, and given back a margin later") {
    user_of_permits f;
    f.connect();
    auto what = limited(4s, "/s");
    what.permits = 1;
    f.machine.acquire(f.now, 1, what);
    f.told_limit(3);
    f.tried(1, 0, 0);
    f.share(1, 2);
    f.live(4s);
    CHECK(f.events() == texts{"granted 1 token 200", "near 1", "near 2", "lost 1 held_too_long",
                              "lost 2 held_too_long"});
    f.release(1);
    CHECK(f.events() == texts{"released 1 held_too_long"});
    f.live(1s - 1ns);
    CHECK(f.open().empty());
    SECTION("the last handle lets go") {
        f.release(2);
        CHECK(f.events() == texts{"released 2 held_too_long"});
    }
    SECTION("the margin ends") { f.live(1ns); }
    CHECK(f.open().front() == "delete " + own_permit);
}

TEST_CASE("the handles on one lock are lost together, also one that is made in the margin") {
    limit_fixture f;
    f.share(1, 2);
    f.live(1min);
    CHECK(f.events() == texts{"near 1", "near 2", "lost 1 held_too_long", "lost 2 held_too_long"});
    f.share(1, 3);
    f.release(2);
    CHECK(f.events() == texts{"released 2 held_too_long"});
    CHECK(f.open().empty()); // others hold it yet
    f.live(1s);
    CHECK(f.open() == texts{"delete " + ticket_path(0)});
    CHECK(f.events().empty());
}

TEST_CASE("an acquire that fails leaves no limit behind") {
    limit_fixture f;
    auto what = limited(1min);
    what.patient = false;
    f.machine.acquire(f.now, 2, what);
    CHECK(f.events() == texts{"failed 2 would_block"});
    f.machine.close(f.now);
    f.live(2min);
    CHECK_FALSE(f.machine.next_timer().has_value());
}

TEST_CASE("a close ends what was lost by its limit, and nothing is told twice") {
    limit_fixture f;
    f.outlive_limit();
    SECTION("in the margin") {}
    SECTION("while the ticket is being deleted") { f.live(1s); }
    f.machine.stop(f.now);
    CHECK(f.events().empty());
    CHECK_FALSE(f.machine.next_timer().has_value());
}

TEST_CASE("of several locks that are acquired in one transaction each has its own limit") {
    taker_of_several f;
    f.connect();
    std::vector<session_machine::one_of_several> together;
    for (ticket_id id = 1; id <= 2; ++id) {
        auto what = limited(1min + id * 1s, taker_of_several::path_of(static_cast<int>(id)));
        what.incarnation = 5;
        together.push_back({id, what});
    }
    f.machine.acquire(f.now, together);
    f.made({0, 0});
    REQUIRE(f.events() == texts{"granted 1 token 100", "granted 2 token 100"});
    f.live(61s);
    CHECK(f.events() == texts{"near 1", "near 2", "lost 1 held_too_long"});
    f.live(1s);
    CHECK(f.events() == texts{"lost 2 held_too_long"});
}
