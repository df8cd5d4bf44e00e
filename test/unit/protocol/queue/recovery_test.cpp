// SPDX-License-Identifier: BSL-1.0
// What became of a create whose reply was lost. (machine_fixture explains the texts and times.)
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

constexpr std::int64_t next_session = 0x303;
constexpr auto our_data = "turnstile=1\nrequest=0-1\nhost=h\n";

// Ticket 1's create was sent and its reply lost; the session is back, and lists.
void lose_create(machine_fixture& f) {
    f.begin_acquire();
    REQUIRE(f.open() == texts{"enqueue /l/turn-5-lock-"});
    f.cut();
    f.reconnect();
    f.reply("check /l", replies::ok()); // the barrier
    REQUIRE(f.open() == texts{"list /l"});
}

} // namespace

TEST_CASE("a ticket of this session with this request is adopted") {
    machine_fixture f;
    lose_create(f);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000004", "turn-5-lock-0000000003"}));
    f.reply("get " + ticket_path(4), replies::node(104, our_session, our_data));
    f.reply("get " + ticket_path(3), replies::node(103, other_session, our_data));
    CHECK(f.events().empty());
    f.reply("watch " + ticket_path(3), replies::node(103, other_session));
    CHECK(f.open().empty());
    f.changed(ticket_path(3));
    CHECK(f.events() == texts{"granted 1 token 104"});
}

TEST_CASE("servers that lost transactions give a lower number after the session's end") {
    machine_fixture f;
    f.hold(7);
    f.cut(disconnect_reason::expired);
    f.release(1);
    f.acquire(2);
    f.events();
    f.accept(next_session); // the next number may be below ticket 1's 7 now
    f.reply("check /l", replies::ok());
    f.reply("enqueue /l/turn-5-lock-", replies::code(zookeeper_code::connection_loss));
    f.cut(); // so it is unknown whether ticket 2 was made
    f.pass(3s);
    f.accept(next_session);
    f.reply("check /l", replies::ok());
    f.reply("list /l", replies::listing({ticket_path(3).substr(3)}));
    f.reply("get " + ticket_path(3),
            replies::node(203, next_session, "turnstile=1\nrequest=0-2\nhost=h\n"));
    f.reply("watch " + ticket_path(2), replies::no_node());
    f.reply("list /l", replies::listing({ticket_path(3).substr(3)}));
    CHECK(f.events() == texts{"granted 2 token 203"});
}

TEST_CASE("what is not this session's, or not this request's, is not adopted") {
    machine_fixture f;
    lose_create(f);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000003"}));
    SECTION("another session's with the same request") {
        f.reply("get " + ticket_path(3), replies::node(103, other_session, our_data));
        CHECK(f.open() == texts{"enqueue /l/turn-5-lock-"});
    }
    SECTION("a persistent one") {
        f.reply("get " + ticket_path(3), replies::node(103, 0, our_data));
        CHECK(f.open() == texts{"enqueue /l/turn-5-lock-"});
    }
    SECTION("this session's of another request: deleted, nobody knows it") {
        f.reply("get " + ticket_path(3), replies::node(103, our_session, "request=0-2\n"));
        CHECK(f.open() == texts{"delete " + ticket_path(3), "enqueue /l/turn-5-lock-"});
    }
    CHECK(f.events().empty());
}

TEST_CASE("a create held back on its way is found a time T later and deleted") {
    machine_fixture f;
    lose_create(f);
    f.reply("list /l", replies::listing({}));
    f.enqueued(1, 0);
    REQUIRE(f.events() == texts{"granted 1 token 101"});
    f.live(16s); // T
    f.reply("list /l", replies::listing({"turn-5-lock-0000000001", "turn-5-lock-0000000002",
                                         "turn-5-lock-0000000003"}));
    f.reply("check " + ticket_path(1), replies::ok()); // a beat of the same instant
    f.reply("get " + ticket_path(2), replies::node(102, our_session, our_data));
    f.reply("get " + ticket_path(3), replies::node(103, other_session));
    CHECK(f.open() == texts{"delete " + ticket_path(2)});
    f.reply("delete " + ticket_path(2), replies::ok());
    f.live(60s);
    CHECK(f.open().empty());
    CHECK(f.events().empty());
}

TEST_CASE("an own node that stands in no table stays while the fate of a create is open") {
    machine_fixture f;
    lose_create(f);
    f.acquire(2);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000004"}));
    f.enqueued(5, 1);
    REQUIRE(f.open() == // recovery's read; ticket 2's watch on its own node, and its search
            texts{"get " + ticket_path(4), "list " + ticket_path(5), "watch " + ticket_path(4)});
    f.cut();
    f.reconnect();
    f.reply("check " + ticket_path(5), replies::ok());
    f.reply("list /l", replies::listing({"turn-5-lock-0000000004"}));
    f.reply("watch " + ticket_path(4), replies::node(104, our_session, our_data));
    REQUIRE(f.open() == texts{"get " + ticket_path(4)}); // not deleted: it may be ticket 1's
    SECTION("adopted: the other stands behind it") {
        f.reply("get " + ticket_path(4), replies::node(104, our_session, our_data));
        CHECK(f.open() == texts{"watch " + ticket_path(3)});
    }
    SECTION("nobody's: deleted then") {
        f.reply("get " + ticket_path(4), replies::node(104, our_session, "request=0-77\n"));
        CHECK(f.open() == texts{"delete " + ticket_path(4), "enqueue /l/turn-5-lock-"});
    }
    CHECK(f.events().empty());
}

TEST_CASE("no event of an own node that stands in no table hands the lock over") {
    machine_fixture f;
    f.begin_acquire();
    f.enqueued(5, 1);
    f.reply("watch " + ticket_path(4), replies::node(104, our_session, "request=0-77\n"));
    f.changed(ticket_path(4)); // others of this session may stand before it
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"delete " + ticket_path(4), "list /l"});
}

TEST_CASE("a listing that is refused is no empty one: it is asked for again") {
    machine_fixture f;
    lose_create(f);
    const auto code = GENERATE(zookeeper_code::throttled, zookeeper_code::no_auth,
                               zookeeper_code::marshalling_error);
    const bool cancelled = GENERATE(false, true);
    if (cancelled)
        f.cancel(1);
    f.events();
    f.reply("list /l", replies::code(code));
    const bool denied = !cancelled && code == zookeeper_code::no_auth;
    CHECK(f.events() == (denied ? texts{"failed 1 read_denied"} : texts{}));
    CHECK(f.open().empty()); // no second ticket
    f.live(2s - 1ns);        // T/8
    CHECK(f.open().empty());
    f.live(1ns);
    f.reply("list /l", replies::code(code));
    f.live(2s);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000004"}));
    f.live(0s);
    f.reply("get " + ticket_path(4), replies::node(104, our_session, our_data));
    const auto next = cancelled || denied ? "delete " + ticket_path(4) : "watch " + ticket_path(3);
    CHECK(f.open() == texts{next});
}

TEST_CASE("a read that is refused begins the recovery again") {
    machine_fixture f;
    lose_create(f);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000004", "turn-5-lock-0000000003"}));
    f.reply("get " + ticket_path(4), replies::code(zookeeper_code::throttled));
    f.reply("get " + ticket_path(3), replies::node(103, other_session));
    CHECK(f.open().empty());
    f.live(2s);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000004"}));
    f.live(0s);
    f.reply("get " + ticket_path(4), replies::node(104, our_session, our_data));
    CHECK(f.open() == texts{"watch " + ticket_path(3)});
    CHECK(f.events().empty());
}

TEST_CASE(
    "where no answer proves that the barrier was carried out, none on that connection counts") {
    machine_fixture f;
    f.hold();
    f.release(1);
    f.cut();
    f.reconnect();
    f.events();
    REQUIRE(f.open() == texts{"check /l", "get " + ticket_path(0)});
    SECTION("a write that was put off is no barrier") {
        const auto drops = f.wire.drops;
        f.reply("check /l", replies::code(zookeeper_code::throttled));
        CHECK(f.wire.drops == drops + 1);
        f.reply("get " + ticket_path(0), replies::no_node()); // of a server that lags
        CHECK(f.events().empty());
        f.cut();
        f.reconnect();
        f.reply("check /l", replies::ok());
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply("release " + ticket_path(0), replies::ok());
    }
    SECTION("one that was denied is") {
        f.reply("check /l", replies::no_auth());
        f.reply("get " + ticket_path(0), replies::no_node());
    }
    CHECK(f.events() == texts{"released 1 none"});
}
