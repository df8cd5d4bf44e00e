// A caller that gives up, at each step of its acquire: it is told once, and no node of its stays.
#include "unit/protocol/single_node/single_node_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("an acquire cancelled while its path is asked for makes no node") {
    contender_of_one f;
    f.connect();
    f.take(1);
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    SECTION("the path is there") { f.reply("get /l", replies::folder(5)); }
    SECTION("the path may not be read") { f.reply("get /l", replies::no_auth()); }
    CHECK(f.events().empty());
    CHECK(f.open().empty());
}

TEST_CASE("an acquire cancelled while its node is made is told once, whatever the answer") {
    contender_of_one f;
    f.competes();
    f.cancel(1);
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    SECTION("made after all: deleted") {
        f.made(100, 7);
        f.reply("unhold /l/holder", replies::ok());
    }
    SECTION("denied") { f.reply("hold /l/holder", replies::no_auth()); }
    SECTION("another's stands there, and nobody waits for it") {
        f.reply("hold /l/holder", replies::node_exists());
    }
    SECTION("of an earlier incarnation of the path") {
        f.reply("hold /l/holder", replies::no_node());
    }
    CHECK(f.events().empty());
    CHECK(f.open().empty());
}

TEST_CASE("the next of a session takes the place of one cancelled while its node is made") {
    contender_of_one f;
    f.competes();
    f.take(2);
    f.cancel(1);
    SECTION("another's stands there: it is watched for the next") {
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(90, other_session));
        f.deleted("/l/holder");
    }
    SECTION("made after all: deleted before the next makes its own") {
        f.made(90, 7);
        f.reply("unhold /l/holder", replies::ok());
    }
    f.made(100, 8);
    CHECK(f.events() == texts{"failed 1 cancelled", "granted 2 token 100"});
    CHECK(f.open().empty());
}

TEST_CASE("an acquire whose limit ends while its node is made leaves none") {
    contender_of_one f;
    f.connect();
    f.take(1, true, 1s);
    f.reply("get /l", replies::folder(5));
    f.pass(1s);
    CHECK(f.events() == texts{"failed 1 timed_out"});
    f.made(100, 7);
    f.reply("unhold /l/holder", replies::ok());
    CHECK(f.events().empty());
}

TEST_CASE("an acquire cancelled while it asks for the holder waits for nobody") {
    contender_of_one f;
    f.competes();
    f.reply("hold /l/holder", replies::node_exists());
    SECTION("it was alone") {
        f.cancel(1);
        f.reply("watch /l/holder", replies::node(90, other_session));
        f.deleted("/l/holder");
        CHECK(f.open().empty());
        CHECK(f.events() == texts{"failed 1 cancelled"});
    }
    SECTION("the next of its session asks anew") {
        f.take(2);
        f.cancel(1);
        f.reply("watch /l/holder", replies::node(90, other_session));
        f.made(100, 8);
        CHECK(f.events() == texts{"failed 1 cancelled", "granted 2 token 100"});
    }
}

TEST_CASE("an acquire cancelled while its node is looked for has it deleted") {
    contender_of_one f;
    f.competes();
    f.take(2);
    f.cut();
    f.back();
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    SECTION("it stands") {
        f.examined(7, replies::node(90, our_session, f.own_data()));
        CHECK(f.wire.open.front().what.version == 7);
        f.reply("unhold /l/holder", replies::ok());
    }
    SECTION("it was not made") { f.examined(7, replies::no_node()); }
    f.made(100, 8);
    CHECK(f.events() == texts{"granted 2 token 100"});
}

TEST_CASE("an acquire cancelled while its lease is proved has its node deleted") {
    contender_of_one f;
    f.confirms();
    f.take(2);
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    CHECK(f.open() == texts{"check /l/holder", "unhold /l/holder"});
    f.reply("check /l/holder", replies::ok()); // proves the lease, for nobody
    f.reply("unhold /l/holder", replies::ok());
    f.made(110, 8);
    CHECK(f.events() == texts{"granted 2 token 110"});
}

TEST_CASE("an acquire cancelled after its proof was lost has its node deleted") {
    contender_of_one f;
    f.confirms();
    f.cut();
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    f.back();
    SECTION("it stands") {
        f.examined(9, replies::node(100, our_session, f.own_data()));
        CHECK(f.wire.open.front().what.version == 9);
        f.reply("unhold /l/holder", replies::ok());
    }
    SECTION("it has gone") { f.examined(9, replies::no_node()); }
    CHECK(f.events().empty());
    CHECK(f.open().empty());
}

TEST_CASE("one cancelled in line does not disturb who is before it") {
    contender_of_one f;
    SECTION("who waits") {
        f.waits();
        f.take(2);
        f.cancel(2);
        CHECK(f.events() == texts{"failed 2 cancelled"});
        f.deleted("/l/holder");
        f.made(100, 8);
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("who leaves") {
        f.holds();
        f.release(1);
        f.take(2);
        f.cancel(2);
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events() == texts{"failed 2 cancelled", "released 1 none"});
        CHECK(f.open().empty());
    }
    SECTION("who leaves, and looks for its node") {
        f.holds();
        f.release(1);
        f.reply("unhold /l/holder", replies::code(zookeeper_code::bad_version));
        f.take(2);
        f.cancel(2);
        f.examined(8, replies::node(100, our_session, f.own_data()));
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events() == texts{"failed 2 cancelled", "released 1 none"});
        CHECK(f.open().empty());
    }
}

TEST_CASE("what is held is not cancelled") {
    contender_of_one f;
    f.holds();
    f.cancel(1);
    CHECK(f.events().empty());
    f.release(1);
    f.reply("unhold /l/holder", replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
}
