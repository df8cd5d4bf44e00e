// SPDX-License-Identifier: BSL-1.0
// From acquire() to a place in line: the lock path, and the transaction that makes the ticket.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a path that vanishes again and again counts as unstable") {
    machine_fixture f;
    f.connect();
    f.acquire(1);
    SECTION("while it is made") {
        for (int i = 0; i < 16; ++i) {
            f.reply("get /l", replies::no_node());
            f.reply("container /l", replies::node_exists());
        }
    }
    SECTION("between making it and the create") {
        f.reply("get /l", replies::folder(5));
        for (int i = 0; i < 64; ++i) {
            f.reply("enqueue /l/turn-5-lock-", replies::no_node());
            f.reply("get /l", replies::folder(5));
        }
    }
    CHECK(f.events() == texts{"failed 1 path_unstable"});
    CHECK(f.open().empty());
}

TEST_CASE("what keeps the path from being made fails the acquire") {
    machine_fixture f;
    f.connect();
    f.acquire(1, "/a/l");
    SECTION("no right to make it") {
        f.reply("get /a/l", replies::no_node());
        f.reply("container /a", replies::node_exists());
        f.reply("container /a/l", replies::no_auth());
        CHECK(f.events() == texts{"failed 1 create_denied"});
    }
    SECTION("no right to make its parent") {
        f.reply("get /a/l", replies::no_node());
        f.reply("container /a", replies::no_auth());
        f.reply("container /a/l", replies::no_node());
        CHECK(f.events() == texts{"failed 1 create_denied"});
    }
    SECTION("the chroot is missing") {
        f.reply("get /a/l", replies::no_node());
        f.reply("container /a", replies::no_node());
        f.reply("container /a/l", replies::no_node());
        CHECK(f.events() == texts{"failed 1 no_chroot"});
    }
    SECTION("a parent is ephemeral") {
        f.reply("get /a/l", replies::no_node());
        f.reply("container /a", replies::node_exists());
        f.reply("container /a/l", replies::code(zookeeper_code::no_children_for_ephemerals));
        CHECK(f.events() == texts{"failed 1 server_error"});
        CHECK(f.told.last_code == zookeeper_code::no_children_for_ephemerals);
    }
    CHECK(f.open().empty());
}

TEST_CASE("servers that lost transactions make what is known of readers worthless") {
    machine_fixture f(machine_fixture::unshared());
    f.begin_shared_acquire();
    f.reader_enqueued(7, 0);
    f.release(1);
    f.reply("delete " + reader_path(7), replies::ok());
    REQUIRE(f.events() == texts{"granted 1 token 107", "released 1 none"});
    const auto asks =
        texts{"list " + reader_path(3), "watch " + ticket_path(2), "get " + reader_path(2)};
    f.own_watches_by_hand = true;
    SECTION("a number is given again") {
        f.acquire_shared(2);
        f.reader_enqueued(3, 1); // numbers up to 7 were given before
        CHECK(f.open() == asks);
        CHECK(f.told.notes.front().starts_with("the servers have lost transactions"));
    }
    SECTION("or may have been, on another server") {
        f.cut();
        f.reconnect();
        f.reply("exists /", replies::ok());
        f.acquire_shared(2);
        f.reader_enqueued(8, 1);
        CHECK(f.open() ==
              texts{"list " + reader_path(8), "watch " + ticket_path(7), "get " + reader_path(7)});
    }
}

TEST_CASE("a ticket whose number is given again went with what the servers lost") {
    machine_fixture f;
    f.connect();
    f.acquire(1);
    f.reply("get /l", replies::folder(5));
    f.enqueued(7, 1);
    f.reply("watch " + ticket_path(6), replies::node(106, other_session));
    f.acquire(2);
    f.enqueued(7, 1);
    CHECK(f.told.notes.front().starts_with("the servers have lost transactions"));
    CHECK(f.open() ==
          texts{"enqueue /l/turn-5-lock-", "list " + ticket_path(7), "watch " + ticket_path(6)});
    f.enqueued(8, 2); // the first acquire stands in line once more
    CHECK(f.machine.kinds().nodes_of(1) == texts{ticket_path(8)});
    CHECK(f.machine.kinds().nodes_of(2) == texts{ticket_path(7)});
}
