// SPDX-License-Identifier: BSL-1.0
// Who makes the node, who waits for it, and who tries again.
#include "unit/protocol/single_node/single_node_fixture.hpp"

TEST_CASE("whoever makes the node holds the lock, after one round trip") {
    contender_of_one f;
    f.holds();
    f.release(1);
    CHECK(f.open() == texts{"unhold /l/holder"});
    CHECK(f.wire.open.front().what.version == 7);
    f.reply("unhold /l/holder", replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
    f.take(2);
    f.made(200, 8); // the path is known
    CHECK(f.events() == texts{"granted 2 token 200"});
}

TEST_CASE("a try that finds a node asks whether it goes with a session, and sets no watch") {
    contender_of_one f;
    f.connect();
    f.take(1, false);
    f.reply("get /l", replies::folder(5));
    f.reply("hold /l/holder", replies::node_exists());
    REQUIRE_FALSE(f.wire.open.empty());
    CHECK_FALSE(f.wire.open.front().what.watch);
    SECTION("it does") {
        f.reply("exists /l/holder", replies::node(90, other_session));
        CHECK(f.events() == texts{"failed 1 would_block"});
    }
    SECTION("it does not") {
        f.reply("exists /l/holder", replies::node(90, 0));
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
    }
    SECTION("it has gone since") {
        f.reply("exists /l/holder", replies::no_node());
        CHECK(f.events() == texts{"failed 1 would_block"});
    }
    SECTION("it is this session's, and came late") {
        f.reply("exists /l/holder", replies::node(100, our_session));
        f.examined(8, replies::node(100, our_session));
        f.reply("unhold /l/holder", replies::ok());
        f.made(110, 9);
        CHECK(f.events() == texts{"granted 1 token 110"});
    }
    CHECK(f.open().empty());
}

TEST_CASE("a server with too much to do is asked again T/8 later") {
    const auto too_busy = replies::code(zookeeper_code::throttled);
    const bool patient = GENERATE(true, false);
    contender_of_one f;
    f.connect();
    f.take(1, patient);
    f.reply("get /l", replies::folder(5));
    f.reply("hold /l/holder", too_busy);
    f.live(2s);
    f.reply("hold /l/holder", replies::node_exists());
    f.reply((patient ? "watch" : "exists") + std::string(" /l/holder"), too_busy);
    CHECK(f.open().empty());
    f.live(2s);
    CHECK(f.events().empty());
    f.made(100, 7);
    CHECK(f.events() == texts{"granted 1 token 100"});
}

TEST_CASE("a try fails at once where this session holds the lock, or waits for it") {
    contender_of_one f;
    SECTION("holds") { f.holds(); }
    SECTION("waits") { f.waits(); }
    f.take(2, false);
    CHECK(f.events() == texts{"failed 2 would_block"});
    CHECK(f.open().empty());
}

TEST_CASE("who waits tries again when the node goes, and looks again when it changes") {
    contender_of_one f;
    f.waits();
    f.changed("/l/holder");
    f.reply("watch /l/holder", replies::node(90, other_session));
    f.deleted("/l/holder");
    SECTION("and is granted") {
        f.made(100, 9);
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("or waits for the next") {
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(95, other_session));
        CHECK(f.open().empty());
    }
    SECTION("or finds the next one gone") {
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::no_node());
        CHECK(f.open() == texts{"hold /l/holder"});
    }
}

TEST_CASE("what a server refuses ends the acquire") {
    contender_of_one f;
    f.connect();
    f.take(1);
    f.reply("get /l", replies::folder(5));
    SECTION("the set") {
        f.reply("hold /l/holder", {.code = zookeeper_code::no_auth, .first_step_denied = true});
        CHECK(f.events() == texts{"failed 1 write_denied"});
    }
    SECTION("the create") {
        f.reply("hold /l/holder", replies::no_auth());
        CHECK(f.events() == texts{"failed 1 create_denied"});
    }
    SECTION("the path is made anew") {
        f.reply("hold /l/holder", replies::no_node());
        f.reply("get /l", replies::no_node());
        CHECK(f.open() == texts{"container /l"});
    }
}

TEST_CASE("a lock of another kind at the path is told by what is found there") {
    contender_of_one f;
    SECTION("tickets") {
        f.connect();
        f.take(1);
        f.reply("get /l", replies::folder(5));
        f.made(100, 7, 1);
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
        CHECK(f.open() == texts{"unhold /l/holder"});
    }
    SECTION("a node that goes with no session") {
        f.connect();
        f.take(1);
        f.reply("get /l", replies::folder(5));
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(90, 0));
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
    }
    SECTION("the node, by a mutex") {
        f.begin_acquire();
        f.enqueued(0, 1);
        f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "holder"}));
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
        CHECK(f.open() == texts{"delete " + ticket_path(0)});
    }
    SECTION("in one session") {
        f.holds();
        f.acquire(2);
        CHECK(f.events() == texts{"failed 2 wrong_kind"});
    }
}

TEST_CASE("a session without bytes for a node makes none") {
    auto options = machine_fixture::defaults();
    options.ticket_bytes = std::string("/l/holder").size();
    contender_of_one f(options);
    f.connect();
    f.take(1);
    f.reply("get /l", replies::folder(5));
    CHECK(f.events() == texts{"failed 1 session_full"});
    CHECK(f.open().empty());
}

TEST_CASE("the last bytes of a session are for a node that turns out free") {
    auto options = machine_fixture::defaults();
    options.ticket_bytes = std::string("/l/holder").size() + 4;
    contender_of_one f(options);
    f.connect();
    f.take(1);
    f.reply("get /l", replies::folder(5));
    SECTION("free") {
        f.made(100, 7);
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("taken") {
        f.take(2);
        f.reply("hold /l/holder", replies::node_exists());
        CHECK(f.events() == texts{"failed 1 session_full"});
        f.reply("hold /l/holder", replies::node_exists()); // the other's
        CHECK(f.events() == texts{"failed 2 session_full"});
        CHECK(f.open().empty());
    }
}
