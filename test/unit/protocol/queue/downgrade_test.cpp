// SPDX-License-Identifier: BSL-1.0
// From writer to reader in the same place: the requests, lost answers, and those in line behind it.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const auto the_downgrade = "downgrade " + ticket_path(0);

// Ticket 1 is on its way from writer to reader, at sequence 0.
void begin_downgrade(machine_fixture& f) {
    f.hold();
    f.downgrade(1);
    REQUIRE(f.events().empty());
    REQUIRE(f.open() == texts{the_downgrade});
}

void end_downgrade(machine_fixture& f) {
    f.reply(the_downgrade, replies::ok());
    CHECK(f.last_request.target == downgraded_path(0));
    REQUIRE(f.events() == texts{"downgraded 1 none"});
    f.reply("list " + downgraded_path(0), replies::node(120, our_session)); // the own watch
}

} // namespace

TEST_CASE("a downgrade is one transaction, and is released with a plain delete") {
    machine_fixture f;
    begin_downgrade(f);
    end_downgrade(f);
    CHECK(f.open().empty());
    f.release(1);
    f.reply("delete " + downgraded_path(0), replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
}

TEST_CASE("own readers behind a downgraded writer are let in, own writers wait for it") {
    machine_fixture f(machine_fixture::unshared());
    f.hold();
    f.acquire_shared(2);
    f.reader_enqueued(1, 1);
    f.acquire(3);
    f.enqueued(2, 2);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "turn-5-read-lock-0000000001",
                                         "turn-5-lock-0000000002"}));
    f.reply("watch " + reader_path(1), replies::node(101, our_session));
    f.downgrade(1);
    CHECK(f.events().empty());
    f.reply(the_downgrade, replies::ok());
    CHECK(f.events() == texts{"downgraded 1 none"});
    f.reply("check " + reader_path(1), replies::ok()); // it stands: so it was not deleted
    CHECK(f.events() == texts{"granted 2 token 101"});
}

TEST_CASE("what cannot be downgraded is told so") {
    machine_fixture f;
    SECTION("a reader") {
        f.begin_shared_acquire();
        f.reader_enqueued(0, 0);
        f.events();
        f.downgrade(1);
        CHECK(f.events() == texts{"downgraded 1 not_exclusive"});
    }
    SECTION("one with other handles") {
        f.hold();
        f.share(1, 2);
        f.downgrade(2);
        CHECK(f.events() == texts{"downgraded 2 not_alone"});
        f.release(1);
        f.downgrade(2);
        CHECK(f.open() == texts{the_downgrade});
    }
    SECTION("one that is not held") {
        f.connect();
        f.downgrade(7);
        CHECK(f.events().back() == "downgraded 7 lease_lost");
    }
    SECTION("one that is being downgraded") {
        begin_downgrade(f);
        f.downgrade(1);
        CHECK(f.events() == texts{"downgraded 1 not_exclusive"});
    }
}

TEST_CASE("where the answer is lost, both names are asked for") {
    machine_fixture f;
    begin_downgrade(f);
    f.cut();
    f.reconnect();
    f.reply("check " + ticket_path(0), replies::no_node()); // the barrier: it ends no ticket
    CHECK(f.open() == texts{"get " + ticket_path(0), "get " + downgraded_path(0)});
    SECTION("it had happened") {
        f.reply("get " + ticket_path(0), replies::no_node());
        f.reply("get " + downgraded_path(0), replies::node(120, our_session));
        CHECK(f.events() == texts{"downgraded 1 none"});
    }
    SECTION("it had not") {
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply("get " + downgraded_path(0), replies::no_node());
        CHECK(f.events().empty());
        CHECK(f.open() == texts{the_downgrade});
        SECTION("and does now") { f.reply(the_downgrade, replies::ok()); }
        SECTION("and the first try has come through late") {
            f.reply(the_downgrade, replies::node_exists());
            f.reply("get " + ticket_path(0), replies::no_node());
            f.reply("get " + downgraded_path(0), replies::node(120, our_session));
        }
        SECTION("and a refusal of this try says nothing of the first") {
            f.reply(the_downgrade,
                    {.code = GENERATE(zookeeper_code::no_auth, zookeeper_code::throttled)});
            REQUIRE(f.events().empty());
            f.release(1);
            f.reply("get " + ticket_path(0), replies::no_node());
            f.reply("get " + downgraded_path(0), replies::node(120, our_session));
            f.reply("delete " + downgraded_path(0), replies::ok());
            CHECK(f.events() == texts{"released 1 none"});
            return;
        }
        CHECK(f.events() == texts{"downgraded 1 none"});
    }
    SECTION("the server has too much to do to say whether it had: asked again elsewhere") {
        const auto drops = f.wire.drops;
        f.reply("get " + ticket_path(0), {.code = zookeeper_code::throttled});
        f.reply("get " + downgraded_path(0), replies::no_node());
        CHECK(f.events().empty());
        CHECK(f.wire.drops == drops + 1);
    }
    SECTION("another program's node has the new name") {
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply("get " + downgraded_path(0), replies::node(120, other_session));
        CHECK(f.events() == texts{"downgraded 1 server_error"});
        CHECK(f.told.last_code == zookeeper_code::node_exists);
        f.own_watches_by_hand = true;
        CHECK(f.open() == texts{"list " + ticket_path(0)}); // its events were ignored meanwhile
    }
    SECTION("other programs' nodes have both names") {
        f.reply("get " + ticket_path(0), replies::node(110, other_session));
        f.reply("get " + downgraded_path(0), replies::node(120, other_session));
        CHECK(f.events() == texts{"downgraded 1 server_error", "lost 1 ticket_deleted"});
    }
    SECTION("another node has the old name, and nobody the new one") {
        f.reply("get " + ticket_path(0), replies::node(110, other_session));
        f.reply("get " + downgraded_path(0), replies::no_node());
        CHECK(f.events() == texts{"downgraded 1 ticket_deleted", "lost 1 ticket_deleted"});
    }
    SECTION("the connection is lost once more: asked for again") {
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.cut();
        f.reconnect();
        f.reply("check " + ticket_path(0), replies::ok());
        f.reply("get " + ticket_path(0), replies::no_node());
        f.reply("get " + downgraded_path(0), replies::node(120, our_session));
        CHECK(f.events() == texts{"downgraded 1 none"});
    }
    SECTION("a foreign client has deleted the ticket") {
        f.reply("get " + ticket_path(0), replies::no_node());
        f.reply("get " + downgraded_path(0), replies::no_node());
        CHECK(f.events() == texts{"downgraded 1 ticket_deleted", "lost 1 ticket_deleted"});
    }
}

TEST_CASE("a refusal of a downgrade is final once no earlier try can come late") {
    machine_fixture f;
    begin_downgrade(f);
    f.cut();
    f.reconnect();
    f.reply("check " + ticket_path(0), replies::ok());
    const auto reconnected = f.now;
    do {
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply("get " + downgraded_path(0), replies::no_node());
        REQUIRE(f.now - reconnected <= 16s);
        REQUIRE(f.events().empty());
        f.reply(the_downgrade, {.code = zookeeper_code::no_auth});
        f.live(2s);
    } while (std::ranges::count(f.open(), "get " + downgraded_path(0)) == 1);
    CHECK(f.now - reconnected >= 16s);
    CHECK(f.events() == texts{"downgraded 1 create_denied"});
}

TEST_CASE("a server with too much to do is asked for the downgrade again") {
    machine_fixture f;
    f.hold();
    f.live(3s);
    f.events();
    f.downgrade(1);
    f.reply(the_downgrade, {.code = zookeeper_code::throttled});
    CHECK(f.open().empty());
    SECTION("T/8 later") {
        f.live(2s - 1ms);
        CHECK(std::ranges::count(f.open(), "get " + downgraded_path(0)) == 0);
        f.live(1ms);
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply("get " + downgraded_path(0), replies::no_node());
        CHECK(f.events().empty());
        SECTION("and carries it out") { end_downgrade(f); }
        SECTION("and refuses it, which is final") {
            f.reply(the_downgrade, {.code = zookeeper_code::no_auth});
            CHECK(f.events() == texts{"downgraded 1 create_denied"});
        }
    }
    SECTION("or at once where the old name goes meanwhile") {
        f.deleted(ticket_path(0));
        f.reply("get " + ticket_path(0), replies::no_node());
        f.reply("get " + downgraded_path(0), replies::node(120, our_session));
        CHECK(f.events() == texts{"downgraded 1 none"});
    }
}

TEST_CASE("the end of the own watch is no loss while a downgrade is under way") {
    machine_fixture f;
    f.hold();
    f.live(3s);
    f.events();
    f.downgrade(1);
    f.deleted(ticket_path(0));
    SECTION("its answer comes right behind") {
        f.pass(499ms);
        CHECK(f.events().empty());
        f.reply(the_downgrade, replies::ok());
        f.pass(2ms);
        CHECK(f.events() == texts{"downgraded 1 none"});
    }
    SECTION("its answer asks for a pause, which is not to be had any more") {
        f.pass(100ms);
        f.reply(the_downgrade, {.code = zookeeper_code::throttled});
        CHECK(f.open() == texts{"get " + ticket_path(0), "get " + downgraded_path(0)});
        f.pass(401ms); // T/32 after the event
        CHECK(f.events() == texts{"downgraded 1 ticket_deleted", "lost 1 ticket_deleted"});
    }
    SECTION("but where no answer comes, a foreign client deleted the ticket") {
        f.pass(501ms); // T/32
        CHECK(f.events() == texts{"downgraded 1 ticket_deleted", "lost 1 ticket_deleted"});
        f.reply(the_downgrade, replies::ok()); // held back on its way
        f.reply("get " + ticket_path(0), replies::no_node());
        f.reply("get " + downgraded_path(0), replies::node(120, our_session));
        CHECK(f.open() == texts{"delete " + downgraded_path(0)});
    }
}

TEST_CASE("an own writer looks before it follows one that is released while it becomes a reader") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.enqueued(1, 1);
    f.downgrade(1);
    f.release(1);
    // A foreign client may have deleted the waiting ticket: then readers of others are in by now.
    CHECK(f.events().empty());
    f.reply(the_downgrade, replies::ok());
    f.reply("get " + ticket_path(0), replies::no_node());
    f.reply("list " + ticket_path(1), replies::node(101, our_session));
    f.reply("list /l",
            replies::listing({"turn-5-down-read-lock-0000000000", "turn-5-lock-0000000001"}));
    CHECK(f.events() == texts{"granted 2 token 101"}); // it stands, and so keeps readers out
}

TEST_CASE("a downgrade waits for the answer to the hand-over within its session") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.enqueued(1, 1);
    f.release(1);
    REQUIRE(f.events() == texts{"granted 2 token 101"});
    f.downgrade(2);
    CHECK(f.open() == texts{machine_fixture::hand_over(0, 1)});
    SECTION("which shows the ticket") {
        f.reply(machine_fixture::hand_over(0, 1), replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
        f.reply("downgrade " + ticket_path(1), replies::ok());
        CHECK(f.events() == texts{"downgraded 2 none"});
    }
    SECTION("which shows that a foreign client has deleted the ticket: its loss comes first") {
        f.reply(machine_fixture::hand_over(0, 1), replies::failed_at(0, 3));
        CHECK(f.events() == texts{"downgraded 2 ticket_deleted", "lost 2 ticket_deleted"});
        CHECK(f.open() == texts{"release " + ticket_path(0)});
    }
    SECTION("which is lost") {
        f.cut();
        f.reconnect();
        f.reply("check " + ticket_path(1), replies::ok()); // the barrier
        f.reply("get " + ticket_path(0), replies::no_node());
        CHECK(f.events() == texts{"released 1 none"});
        f.reply("downgrade " + ticket_path(1), replies::ok());
        CHECK(f.events() == texts{"downgraded 2 none"});
    }
    SECTION("once") {
        f.downgrade(2);
        CHECK(f.events() == texts{"downgraded 2 not_exclusive"});
    }
    SECTION("and is not sent where the lock is released meanwhile") {
        f.release(2);
        f.reply(machine_fixture::hand_over(0, 1), replies::ok());
        f.reply("release " + ticket_path(1), replies::ok());
        CHECK(f.events() == texts{"released 1 none", "released 2 none"});
        CHECK(f.open().empty());
    }
}

TEST_CASE("behind an own writer that becomes a reader its answer is waited for") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.enqueued(2, 1);
    f.reply("watch " + ticket_path(1), replies::no_node());
    f.downgrade(1);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000002"})); // a foreign client deletes
    CHECK(f.events().empty());
    f.reply(the_downgrade, replies::no_node());
    f.reply("get " + ticket_path(0), replies::no_node());
    f.reply("get " + downgraded_path(0), replies::no_node());
    CHECK(f.events() == texts{"downgraded 1 ticket_deleted", "lost 1 ticket_deleted"});
}

TEST_CASE("behind a writer that is released on its way to a reader its successor is asked for") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.enqueued(2, 1);
    f.reply("watch " + ticket_path(1), replies::no_node());
    f.downgrade(1);
    f.release(1);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "turn-5-lock-0000000002"}));
    CHECK(f.events().empty()); // if ticket 2 was deleted since, readers of others hold the lock
    f.reply(the_downgrade, replies::ok());
    f.reply("get " + ticket_path(0), replies::no_node());
    SECTION("and is granted where it stands") {
        f.reply("check " + ticket_path(2), replies::ok());
        CHECK(f.events() == texts{"granted 2 token 102"});
    }
    SECTION("and lines up again where a foreign client has deleted it") {
        f.reply("check " + ticket_path(2), replies::no_node());
        CHECK(f.events().empty());
    }
}

TEST_CASE("a downgrade that comes late, after the release, leaves no reader behind") {
    machine_fixture f;
    begin_downgrade(f);
    f.release(1);
    f.cut();
    f.reconnect();
    f.reply("check /l", replies::ok()); // the barrier
    f.reply("get " + ticket_path(0), replies::node(100, our_session));
    f.reply("release " + ticket_path(0), replies::ok());
    f.reply("get " + downgraded_path(0), replies::no_node());
    REQUIRE(f.events() == texts{"released 1 none"});
    // By now another program has made a node of the old name, which the downgrade can delete.
    f.live(16s);
    f.reply("list /l",
            replies::listing({"turn-5-down-read-lock-0000000000", "turn-5-lock-0000000001"}));
    f.live(1ms); // a beat was due
    SECTION("the reader is this session's") {
        f.reply("get " + downgraded_path(0), replies::node(150, our_session));
        f.reply("delete " + downgraded_path(0), replies::ok());
    }
    SECTION("it is another's") {
        f.reply("get " + downgraded_path(0), replies::node(150, other_session));
    }
    CHECK(f.open().empty());
    f.live(32s);
    CHECK(f.open().front() == "exists /l"); // nothing more is looked for: the path rests
}

TEST_CASE("whoever waits for a writer that is gone asks for it under its other name") {
    machine_fixture f;
    f.connect();
    SECTION("a writer waits for it: nobody is let in (CURATOR-621)") {
        f.acquire(1);
        f.reply("get /l", replies::folder(5));
        f.enqueued(5, 1);
        f.reply("watch " + ticket_path(4), replies::node(104, other_session));
        f.deleted(ticket_path(4));
        f.reply("watch " + downgraded_path(4), replies::node(120, other_session));
        CHECK(f.events().empty());
        CHECK(f.open().empty());
        f.deleted(downgraded_path(4));
        f.reply("watch " + ticket_path(3), replies::no_node());
        f.reply("list /l", replies::listing({"turn-5-lock-0000000005"}));
        CHECK(f.events() == texts{"granted 1 token 105"});
    }
    SECTION("a reader is in") {
        f.acquire_shared(1);
        f.reply("get /l", replies::folder(5));
        f.reader_enqueued(5, 1);
        f.reply("watch " + ticket_path(4), replies::node(104, other_session));
        f.reply("get " + reader_path(4), replies::no_node());
        f.deleted(ticket_path(4));
        f.reply("get " + downgraded_path(4), replies::node(120, other_session));
        CHECK(f.events() == texts{"granted 1 token 105"});
    }
}

TEST_CASE("a writer that has lost the lock is not downgraded") {
    machine_fixture f;
    f.hold();
    f.cut();
    f.pass(15s);
    REQUIRE(f.events() == texts{"lost 1 lease_lost"});
    f.downgrade(1);
    CHECK(f.events() == texts{"downgraded 1 lease_lost"});
}
