// SPDX-License-Identifier: BSL-1.0
// From acquire() to a place in line: the lock path, and the transaction that makes the ticket.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a free lock costs one round trip once the path is known") {
    machine_fixture f;
    f.connect();
    f.acquire(1);
    CHECK(f.open() == texts{"get /l"});
    f.reply("get /l", replies::folder(5));
    CHECK(f.open() == texts{"enqueue /l/turn-5-lock-"});
    CHECK(f.events().empty());
    f.enqueued(0, 0);
    CHECK(f.events() == texts{"granted 1 token 100"});
    CHECK(f.open().empty());
    CHECK(f.told.queued.empty());

    f.release(1);
    CHECK(f.open() == texts{"release " + ticket_path(0)});
    f.reply("release " + ticket_path(0), replies::ok());
    CHECK(f.events() == texts{"released 1 none"});

    f.acquire(2); // the incarnation is kept
    CHECK(f.open() == texts{"enqueue /l/turn-5-lock-"});
    f.enqueued(1, 0);
    CHECK(f.events() == texts{"granted 2 token 101"});
}

TEST_CASE("a ticket's data tells who stands there, and its request") {
    auto options = machine_fixture::defaults();
    options.who = ticket_data_writer({.host = "h", .process = "1", .label = "billing"});
    machine_fixture f(options);
    f.begin_acquire();
    CHECK(f.wire.open.front().what.data ==
          "turnstile=1\nrequest=0-1\nhost=h\npid=1\nlabel=billing\n");
}

TEST_CASE("a missing path is made with its parents, in one flight") {
    machine_fixture f;
    f.connect();
    f.acquire(1, "/a/b/c");
    f.reply("get /a/b/c", replies::no_node());
    CHECK(f.open() == texts{"container /a", "container /a/b", "container /a/b/c"});
    f.reply("container /a", replies::node_exists());
    f.reply("container /a/b", replies::made(6));
    f.reply("container /a/b/c", replies::made(0x1f));
    // The create2's czxid is the incarnation: no further question.
    CHECK(f.open() == texts{"enqueue /a/b/c/turn-1f-lock-"});
}

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

TEST_CASE("no right to read the lock path fails the acquire before there is a ticket") {
    machine_fixture f;
    f.connect();
    f.acquire(1);
    f.reply("get /l", replies::no_auth());
    CHECK(f.events() == texts{"failed 1 read_denied"});
    CHECK(f.open().empty());
}

TEST_CASE("no right to create a ticket fails the acquire") {
    machine_fixture f;
    f.begin_acquire();
    f.reply("enqueue /l/turn-5-lock-", replies::no_auth());
    CHECK(f.events() == texts{"failed 1 create_denied"});
    CHECK(f.open().empty());
}

TEST_CASE("no right to set the lock path fails the acquire with its own reason") {
    machine_fixture f;
    f.begin_acquire();
    auto denied = replies::no_auth();
    denied.set_denied = true;
    f.reply("enqueue /l/turn-5-lock-", denied);
    CHECK(f.events() == texts{"failed 1 write_denied"});
    CHECK(f.open().empty());
}

TEST_CASE("without guarded tickets the names say so") {
    auto options = machine_fixture::defaults();
    options.guarded = false;
    machine_fixture f(options);
    f.begin_acquire();
    f.reply("enqueue /l/open-5-lock-", replies::placed("/l/open-5-lock-0000000000", 100, 0));
    CHECK(f.events() == texts{"granted 1 token 100"});
    f.release(1); // nobody would trust a CHANGED
    CHECK(f.open() == texts{"delete /l/open-5-lock-0000000000"});
}

TEST_CASE("a ticket made alone tells that the session's earlier ones were deleted from outside") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.enqueued(1, 0); // nobody stood there
    CHECK(f.events() == texts{"lost 1 lost_deleted", "granted 2 token 101"});
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

TEST_CASE("servers that number transactions from below are told of once, whatever the path") {
    machine_fixture f;
    f.begin_acquire();
    f.enqueued(7, 0);
    f.release(1);
    f.reply("release " + ticket_path(7), replies::ok());
    REQUIRE(f.told.notes.empty());
    const auto granted_at_m = [&](ticket_id id, std::int32_t sequence, std::int64_t token) {
        f.reply("enqueue /m/turn-6-lock-",
                replies::placed("/m/turn-6-lock-" + digits(sequence), token, 0, 6));
        f.release(id);
        f.reply("release /m/turn-6-lock-" + digits(sequence), replies::ok());
    };
    f.acquire(2, "/m");
    f.reply("get /m", replies::folder(6));
    granted_at_m(2, 0, 50);
    REQUIRE(f.told.notes.size() == 1);
    CHECK(f.told.notes.back().starts_with("the servers were made anew or restored"));
    f.acquire(3, "/m");
    granted_at_m(3, 1, 60);
    CHECK(f.told.notes.size() == 1);
}
