// SPDX-License-Identifier: BSL-1.0
// From reader to writer without letting go: the requests, lost answers, and whoever else is there.
#include "unit/protocol/queue/upgrade_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;
using namespace turnstile::test::upgrading;

TEST_CASE("an upgrade asks who stands there, and makes a writer's ticket behind the reader's") {
    machine_fixture f;
    read(f);
    begin_upgrade(f);
    end_upgrade(f);
    f.release(1); // and the reader's goes first
    CHECK(f.open() == texts{"delete " + reader_path(0), "release " + ticket_path(1)});
    f.reply("delete " + reader_path(0), replies::ok());
    f.reply("release " + ticket_path(1), replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
    CHECK(f.open().empty());
}

TEST_CASE("where others stand in line no ticket is made") {
    machine_fixture f;
    read(f);
    f.upgrade(1, 9);
    f.reply(the_question, children(2));
    CHECK(f.events() == texts{"upgraded 1 would_block"});
    CHECK(f.open().empty());
    f.release(1);
    CHECK(f.open() == texts{"delete " + reader_path(0)});
}

TEST_CASE("others that share the ticket hold to read: it is not upgraded beside them") {
    machine_fixture f;
    read(f);
    SECTION("a reader that came before") { f.acquire_shared(2); }
    SECTION("a further handle") { f.share(1, 2); }
    f.events();
    f.upgrade(1, 9);
    CHECK(f.events() == texts{"upgraded 1 would_block"});
    CHECK(f.open().empty());
    f.release(2);
    f.events();
    f.upgrade(1, 9);
    CHECK(f.open() == texts{the_question});
}

TEST_CASE("a reader that comes during an upgrade shares the ticket, and the upgrade fails") {
    machine_fixture f;
    read(f);
    begin_upgrade(f);
    f.acquire_shared(2);
    CHECK(f.events() == texts{"granted 2 token 100"});
    SECTION("and stays") {
        f.reply(the_upgrade, made(1, 1));
        CHECK(f.events() == texts{"upgraded 1 would_block"});
    }
    SECTION("and stays alone") { // whose wish it was has gone
        f.release(1);
        CHECK(f.events() == texts{"released 1 none"});
        f.reply(the_upgrade, made(1, 1));
        CHECK(f.events().empty());
    }
    CHECK(f.open() == texts{"delete " + ticket_path(1)});
}

TEST_CASE("a lock of one node can be neither upgraded nor downgraded") {
    machine_fixture f;
    f.connect();
    f.events();
    acquire_request what;
    what.path = "/n";
    what.single_node = true;
    f.machine.acquire(f.now, 1, what);
    f.reply("get /n", replies::folder(5));
    f.reply("hold /n/holder", replies::placed("/n/holder", 100, 0));
    REQUIRE(f.events() == texts{"granted 1 token 100"});
    f.upgrade(1, 9);
    CHECK(f.events() == texts{"upgraded 1 not_shared"});
    f.downgrade(1);
    CHECK(f.events() == texts{"downgraded 1 not_exclusive"});
}

TEST_CASE("what the server refuses leaves the reader as it was") {
    machine_fixture f;
    read(f);
    f.upgrade(1, 9);
    SECTION("the set") {
        f.reply(the_question, refused_step(1, 2, zookeeper_code::no_auth));
        CHECK(f.events() == texts{"upgraded 1 write_denied"});
    }
    SECTION("the create") {
        f.reply(the_question, children(1));
        f.reply(the_upgrade, refused_step(2, 3, zookeeper_code::no_auth));
        CHECK(f.events() == texts{"upgraded 1 create_denied"});
    }
    SECTION("it has too much to do") {
        f.reply(the_question, {.code = zookeeper_code::throttled});
        CHECK(f.events() == texts{"upgraded 1 would_block"});
    }
    SECTION("the path has no numbers left") {
        f.reply(the_question, children(1));
        f.reply(the_upgrade, made(sequence_limit, 1));
        CHECK(f.events() == texts{"upgraded 1 sequence_exhausted"});
        f.reply("delete " + ticket_path(sequence_limit), replies::ok());
    }
    CHECK(f.open().empty());
    f.release(1);
    CHECK(f.open() == texts{"delete " + reader_path(0)});
}

TEST_CASE("a session's end is an upgrade's") {
    machine_fixture f;
    read(f);
    begin_upgrade(f);
    SECTION("by its owner") {
        f.machine.close(f.now);
        CHECK(f.events() == texts{"upgraded 1 session_closed", "lost 1 session_closed"});
    }
    SECTION("by the server") {
        f.cut(disconnect_reason::expired);
        CHECK(f.events() == texts{"upgraded 1 would_block", "lost 1 session_expired"});
    }
}

TEST_CASE("where the numbers of a path are used up no reader becomes a writer") {
    machine_fixture f;
    read(f);
    begin_upgrade(f);
    SECTION("the server's counter sticks") {
        f.reply(the_upgrade, refused_step(2, 3, zookeeper_code::node_exists));
        CHECK(f.open().empty());
    }
    SECTION("the counter is near its end") {
        f.reply(the_upgrade, made(sequence_limit, 1));
        CHECK(f.open() == texts{"delete " + ticket_path(sequence_limit)});
    }
    SECTION("the counter has overflown") {
        auto answer = made(0, 1);
        answer.results.back().path = "/l/turn-5-lock--2147483648";
        f.reply(the_upgrade, answer);
        CHECK(f.open().size() == 1); // the deletion
    }
    CHECK(f.events() == texts{"upgraded 1 sequence_exhausted"});
    f.release(1); // still a reader
    CHECK(f.open().back() == "delete " + reader_path(0));
}

TEST_CASE("an upgrade whose number was given before takes no other ticket's place") {
    machine_fixture f;
    read(f);
    f.acquire(2);
    f.enqueued(1, 1);
    f.reply("list /l", replies::listing({reader_path(0).substr(3), ticket_path(1).substr(3)}));
    f.reply("watch " + reader_path(0), replies::node(100, our_session));
    f.events();
    f.upgrade(1, 9);
    f.reply(the_question, children(1)); // the servers have lost the ticket of the second acquire
    f.reply(the_upgrade, made(1, 1));   // and give its number again
    CHECK(f.told.notes.front().starts_with("the servers have lost transactions"));
    CHECK(f.events() == texts{"upgraded 1 none token 101"});
    CHECK(f.machine.kinds().nodes_of(1) == texts{ticket_path(1)});
    CHECK(f.open() == texts{"enqueue /l/turn-5-lock-", "delete " + reader_path(0)});
    f.enqueued(2, 1); // the second acquire stands in line once more
    CHECK(f.machine.kinds().nodes_of(2) == texts{ticket_path(2)});
}
