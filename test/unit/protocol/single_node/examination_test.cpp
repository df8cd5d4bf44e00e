// SPDX-License-Identifier: BSL-1.0
// Whose node stands there, where an answer was lost, refused, or showed a foreign client's work.
#include "unit/protocol/single_node/single_node_fixture.hpp"

TEST_CASE("a create whose answer was lost is looked for by owner and request") {
    contender_of_one f;
    f.connect();
    f.take(1);
    f.reply("get /l", replies::folder(5));
    f.cut();
    f.back();
    SECTION("ours") {
        f.examined(7, replies::node(100, our_session, f.own_data()));
        CHECK(f.events() == texts{"granted 1 token 100"});
        f.release(1);
        CHECK(f.wire.open.front().what.version == 7);
    }
    SECTION("another's") {
        f.examined(7, replies::node(100, other_session, f.own_data()));
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(100, other_session));
        CHECK(f.events().empty());
    }
    SECTION("another's that may not be read") {
        f.examined(7, replies::code(zookeeper_code::no_auth));
        f.reply("exists /l/holder", replies::node(100, other_session));
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::code(zookeeper_code::no_auth));
        CHECK(f.events() == texts{"failed 1 read_denied"});
    }
    SECTION("one that may not be read, and is gone") {
        f.examined(7, replies::code(zookeeper_code::no_auth));
        f.reply("exists /l/holder", replies::no_node());
        f.made(100, 8);
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("ours that may not be read: asked for again") {
        f.examined(7, replies::code(zookeeper_code::no_auth));
        f.reply("exists /l/holder", replies::node(100, our_session));
        CHECK(f.open().empty());
        f.live(2s);
        f.examined(7, replies::node(100, our_session, f.own_data()));
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("nobody's") {
        f.examined(7, replies::no_node());
        f.made(100, 8);
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("made between the two reads, together with the path") {
        f.reply("exists /l", replies::no_node());
        f.reply("get /l/holder", replies::node(100, our_session, f.own_data()));
        CHECK(f.events().empty());
        f.examined(7, replies::node(100, our_session, f.own_data()));
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("of an acquire that is over") {
        f.examined(7, replies::node(100, our_session, "turnstile=1\nrequest=0-9\n"));
        CHECK(f.wire.open.front().what.version == 7);
        f.reply("unhold /l/holder", replies::ok());
        f.made(101, 8);
        CHECK(f.events() == texts{"granted 1 token 101"});
    }
    SECTION("made between the two reads: the version is older than the node") {
        f.reply("exists /l", {.stat = {.czxid = 5, .mzxid = 99, .version = 6}});
        f.reply("get /l/holder", replies::node(100, our_session, f.own_data()));
        CHECK(f.events().empty());
        f.examined(7, replies::node(100, our_session, f.own_data()));
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
}

TEST_CASE("a node deleted by a foreign client is told as lost") {
    contender_of_one f;
    f.holds();
    f.pass(2s);
    while (f.open().size() > 1 || f.open().front() != "watch /l/holder")
        f.reply(f.open().front(), f.open().front() == "watch /l/holder"
                                      ? replies::node(100, our_session)
                                      : replies::ok());
    SECTION("by the answer to the watch") {
        f.reply("watch /l/holder", replies::node(110, other_session)); // the next one's
        CHECK(f.events() == texts{"lost 1 ticket_deleted"});
        f.examined(9, replies::node(110, other_session));
        CHECK(f.open().empty());
    }
    SECTION("by the watch") {
        f.reply("watch /l/holder", replies::node(100, our_session));
        f.deleted("/l/holder");
        CHECK(f.events() == texts{"lost 1 ticket_deleted"});
    }
    f.release(1);
    CHECK(f.events() == texts{"released 1 lease_lost"});
}

TEST_CASE("a release that is refused for the path's version looks for its node") {
    contender_of_one f;
    f.holds();
    f.release(1);
    f.reply("unhold /l/holder", replies::code(zookeeper_code::bad_version));
    SECTION("a foreign client has set the path") {
        f.examined(8, replies::node(100, our_session, f.own_data()));
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    SECTION("a foreign client has deleted the node, and the next one stands") {
        f.examined(8, replies::node(110, other_session));
        CHECK(f.events() == texts{"released 1 ticket_deleted"});
    }
}
