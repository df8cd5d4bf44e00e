// The connection is lost and comes back, with the same session, at each step.
#include "unit/protocol/single_node/single_node_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("who did not get the lock yet tries again on the next connection") {
    contender_of_one f;
    SECTION("it asked for the path") {
        f.connect();
        f.take(1);
        f.cut();
        f.back();
        f.reply("get /l", replies::folder(5));
    }
    SECTION("it asked for the holder") {
        f.competes();
        f.reply("hold /l/holder", replies::node_exists());
        f.cut();
        f.back();
    }
    SECTION("it waited") {
        f.waits();
        f.cut();
        f.back();
    }
    f.made(100, 8);
    CHECK(f.events() == texts{"granted 1 token 100"});
    CHECK(f.open().empty());
}

TEST_CASE("a node whose lease was not proved yet is looked for on the next connection") {
    contender_of_one f;
    f.confirms();
    f.cut();
    f.back();
    SECTION("it stands: the handshake has proved the lease") {
        f.examined(7, replies::node(100, our_session, f.own_data()));
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("it has gone: nobody was told that it was ever there") {
        f.examined(7, replies::no_node());
        f.made(110, 8);
        CHECK(f.events() == texts{"granted 1 token 110"});
    }
    SECTION("another's stands") {
        f.examined(8, replies::node(105, other_session));
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(105, other_session));
        CHECK(f.events().empty());
    }
    SECTION("nobody may say: asked again") {
        f.examined(7, replies::no_auth());
        CHECK(f.open().empty());
        f.live(2s);
        f.examined(7, replies::node(100, our_session, f.own_data()));
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
}

TEST_CASE("what is looked for when the connection goes is looked for on the next one") {
    contender_of_one f;
    f.competes();
    f.cut();
    f.back();
    SECTION("neither is answered") {}
    SECTION("the path is answered, the node is not") { f.reply("exists /l", replies::folder(5)); }
    SECTION("whose it is is asked for") {
        f.examined(7, replies::no_auth());
        REQUIRE(f.open() == texts{"exists /l/holder"});
    }
    SECTION("the path's answer says that the session has moved") {
        f.reply("exists /l", replies::code(zookeeper_code::session_moved));
        f.reply("get /l/holder", replies::node(100, our_session, f.own_data()));
    }
    SECTION("the server would not say, and it is not yet time to ask again") {
        f.examined(7, replies::code(zookeeper_code::throttled));
        REQUIRE(f.open().empty());
    }
    CHECK(f.events().empty());
    f.cut();
    f.back();
    f.examined(7, replies::node(100, our_session, f.own_data()));
    CHECK(f.events() == texts{"granted 1 token 100"});
}

TEST_CASE("a held lock outlives its connection, and its own watch is set again") {
    contender_of_one f;
    f.holds();
    SECTION("it was set") { f.watches_own(); }
    SECTION("its answer was lost") {
        f.pass(2s);
        REQUIRE(f.open() == texts{"check /l/holder", "watch /l/holder"});
    }
    f.cut();
    f.back();
    f.pass(0s);
    f.reply("watch /l/holder", replies::node(100, our_session));
    CHECK(f.events().empty());
    f.deleted("/l/holder");
    CHECK(f.events() == texts{"lost 1 lost_deleted"});
}

TEST_CASE("a release without a connection is carried out on the next one") {
    contender_of_one f;
    f.holds();
    f.cut();
    f.release(1);
    f.back();
    f.examined(7, replies::node(100, our_session, f.own_data()));
    f.reply("unhold /l/holder", replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
}

TEST_CASE("a node is deleted by what this connection has shown of it") {
    contender_of_one f;
    f.holds();
    f.cut();
    f.back();
    SECTION("the servers lost it, and another's stands at the path's same version") {
        f.release(1);
        f.examined(7, replies::node(105, other_session));
        CHECK(f.events() == texts{"released 1 lost_deleted"});
        CHECK(f.open().empty());
    }
    SECTION("it stands") {
        f.release(1);
        f.examined(7, replies::node(100, our_session, f.own_data()));
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    SECTION("its own watch has shown it: nothing more is asked") {
        f.pass(2s);
        f.reply_behind_beats("watch /l/holder", replies::node(100, our_session));
        f.release(1);
        f.reply_behind_beats("unhold /l/holder", replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
}

TEST_CASE("a node that may not be deleted is tried again when somebody comes, also offline") {
    contender_of_one f;
    f.holds();
    f.release(1);
    f.reply("unhold /l/holder", replies::no_auth());
    f.cut();
    f.reconnect();
    f.reply("check /l", replies::ok());
    CHECK(f.open().empty()); // for nobody it is not tried
    f.cut();
    f.take(2);
    CHECK(f.events() == texts{"released 1 release_denied"});
    f.back();
    f.examined(7, replies::node(100, our_session, f.own_data()));
    f.reply("unhold /l/holder", replies::ok());
    f.made(110, 8);
    CHECK(f.events() == texts{"granted 2 token 110"});
}

TEST_CASE("a create that may appear late is looked for when there is a connection") {
    contender_of_one f;
    f.competes();
    f.cut();
    f.cancel(1);
    f.back();
    f.examined(7, replies::no_node());
    SECTION("after others of this session have come and gone") {
        f.take(2);
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(90, other_session));
        std::size_t watched_again = 0; // in case the event was lost
        for (int beat = 0; beat < 8; ++beat) {
            f.pass(2s);
            while (!f.open().empty()) {
                const auto next = f.open().front();
                CHECK(next != "exists /l"); // it is time, but somebody waits, who would see it
                watched_again += next == "watch /l/holder" ? 1 : 0;
                f.reply(next, next == "watch /l/holder" ? replies::node(90, other_session)
                                                        : replies::ok());
            }
        }
        CHECK(watched_again == 1);
        f.cancel(2);
        f.live(16s);
    }
    SECTION("it is time, and there is none") {
        f.cut();
        f.pass(16s);
        f.accept();
        f.reply("check /l", replies::ok());
    }
    f.reply_behind_beats("exists /l",
                         {.stat = {.czxid = 5, .mzxid = 1000, .children = 1, .version = 8}});
    f.reply("get /l/holder", replies::node(100, our_session, f.own_data()));
    CHECK(f.wire.open.back().what.version == 8);
    f.reply_behind_beats("unhold /l/holder", replies::ok());
    CHECK(f.open().empty());
}

TEST_CASE("a late create is looked for also while the path is asked for by somebody who has gone") {
    contender_of_one f;
    f.competes();
    f.cut();
    f.cancel(1);
    f.back();
    f.examined(7, replies::no_node());
    f.live(15s);
    f.take(2);
    f.reply("hold /l/holder", replies::no_node());
    f.cancel(2);
    f.pass(1s);
    f.reply_behind_beats("get /l", replies::folder(5));
    f.reply_behind_beats("exists /l",
                         {.stat = {.czxid = 5, .mzxid = 1000, .children = 1, .version = 8}});
    f.reply("get /l/holder", replies::node(100, our_session, f.own_data()));
    f.reply_behind_beats("unhold /l/holder", replies::ok());
    CHECK(f.events() == texts{"failed 1 cancelled", "failed 2 cancelled"});
}

TEST_CASE("a late create is looked for also where somebody comes before there is a connection") {
    contender_of_one f;
    f.competes();
    f.cut();
    f.cancel(1);
    f.back();
    f.examined(7, replies::no_node());
    f.cut();
    f.pass(16s); // it is time
    f.take(2, GENERATE(true, false));
    f.accept();
    f.reply("check /l", replies::ok());
    SECTION("and stays") {
        f.examined(8, replies::node(100, our_session, f.own_data()));
        f.reply("unhold /l/holder", replies::ok());
        f.made(110, 9);
        CHECK(f.events() == texts{"failed 1 cancelled", "granted 2 token 110"});
    }
    SECTION("and goes") {
        f.cancel(2);
        f.examined(8, replies::node(100, our_session, f.own_data()));
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.open().empty());
    }
}

TEST_CASE("what is held is not put at risk for a node to be granted: its loss is too near") {
    contender_of_one f;
    f.connect();
    f.hold_another(2);
    f.take(1);
    f.reply("get /l", replies::folder(5));
    f.now += 12200ms; // hangs, and answers again: in 0.7 s the loss would be told
    f.made(100, 7);
    f.reply("check /l/holder", replies::ok());
    CHECK(f.wire.drops == 0);
    CHECK(f.open().back() == "check /l/holder"); // once more
    CHECK(f.events().empty());
}
