// An upgrade whose reader is gone, or lost, before the answer; and numbers that are used up.
#include "unit/protocol/queue/upgrade_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;
using namespace turnstile::test::upgrading;

TEST_CASE("a reader that has lost the lock is not upgraded") {
    machine_fixture f;
    read(f);
    f.cut();
    f.pass(15s);
    REQUIRE(f.events() == texts{"lost 1 lost_deadline"});
    f.upgrade(1, 9);
    CHECK(f.events() == texts{"upgraded 1 lost_deadline"});
}

TEST_CASE("an upgrade that was released before its refusal is over") {
    machine_fixture f;
    read(f);
    begin_upgrade(f);
    f.release(1);
    f.reply(the_upgrade, refused_step(2, 3, zookeeper_code::no_auth));
    f.reply("delete " + reader_path(0), replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
    CHECK(f.open().empty());
    f.acquire(2); // nothing of the upgrade stands in its way
    f.enqueued(3, 0);
    CHECK(f.events() == texts{"granted 2 token 103"});
}

TEST_CASE("an upgrade that was released before its question is answered makes no ticket") {
    machine_fixture f;
    read(f);
    f.upgrade(1, 9);
    f.release(1);
    f.reply(the_question, children(1));
    CHECK(f.open() == texts{"delete " + reader_path(0)});
}

TEST_CASE("a session that closes during an upgrade waits for its answer") {
    machine_fixture f;
    read(f);
    begin_upgrade(f);
    f.machine.close(f.now);
    CHECK(f.events() == texts{"upgraded 1 session_closed", "lost 1 session_closed"});
    CHECK(f.wire.closes == 0);
    SECTION("made: it goes with the session") { f.reply(the_upgrade, made(1, 1)); }
    SECTION("refused") { f.reply(the_upgrade, refused_step(2, 3, zookeeper_code::no_auth)); }
    CHECK(f.events().empty());
    CHECK(f.wire.closes == 1);
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
