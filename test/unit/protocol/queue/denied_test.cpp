// SPDX-License-Identifier: BSL-1.0
// Tickets that the server does not let their session delete: nobody may wait behind them.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// The ticket 0 of acquire 1 was held, and its release denied.
void deny_release(machine_fixture& f) {
    f.hold();
    f.release(1);
    f.reply("release " + ticket_path(0), replies::no_auth());
    f.reply("delete " + ticket_path(0), replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied"});
    CHECK(f.open().empty());
}

// It is looked at first: whether it stands there, and is ours.
void look_again(machine_fixture& f) {
    CHECK(f.open() == texts{"get " + ticket_path(0)});
    f.reply("get " + ticket_path(0), replies::node(100, our_session));
    CHECK(f.open() == texts{"delete " + ticket_path(0)});
}

} // namespace

TEST_CASE("an acquire behind an own ticket that may not be deleted makes no ticket") {
    machine_fixture f;
    deny_release(f);
    for (ticket_id id = 2; id <= 4; ++id) {
        f.acquire(id);
        look_again(f);
        f.reply("delete " + ticket_path(0), replies::no_auth());
        CHECK(f.events() == texts{"failed " + std::to_string(id) + " release_denied"});
        CHECK(f.open().empty());
    }
}

TEST_CASE("acquires that come while the deletion is tried again share its outcome") {
    machine_fixture f;
    deny_release(f);
    f.acquire(2);
    f.acquire(3);
    SECTION("gone with the first try, whose answer said nothing of it") {
        f.reply("get " + ticket_path(0), replies::no_node());
        CHECK(f.events().empty());
        CHECK(f.open() == texts{"enqueue /l/turn-5-lock-", "enqueue /l/turn-5-lock-"});
        return;
    }
    SECTION("gone, and its name is another program's") {
        f.reply("get " + ticket_path(0), replies::node(222, other_session));
        CHECK(f.events().empty());
        CHECK(f.open() == texts{"enqueue /l/turn-5-lock-", "enqueue /l/turn-5-lock-"});
        return;
    }
    look_again(f);
    SECTION("denied") {
        f.reply("delete " + ticket_path(0), replies::no_auth());
        CHECK(f.events() == texts{"failed 3 release_denied", "failed 2 release_denied"});
        CHECK(f.open().empty());
    }
    SECTION("allowed") {
        f.reply("delete " + ticket_path(0), replies::ok());
        CHECK(f.events().empty());
        CHECK(f.open() == texts{"enqueue /l/turn-5-lock-", "enqueue /l/turn-5-lock-"});
    }
    SECTION("gone meanwhile") {
        f.reply("delete " + ticket_path(0), replies::no_node());
        CHECK(f.events().empty());
        CHECK(f.open().size() == 2);
    }
}

TEST_CASE("what had to stay goes with the session, and the next one starts afresh") {
    machine_fixture f;
    deny_release(f);
    f.acquire(2);
    f.cut(disconnect_reason::expired);
    f.pass(3s);
    f.accept(other_session);
    CHECK(f.events().empty());
    CHECK(f.open().back() == "enqueue /l/turn-5-lock-");
}

TEST_CASE("the end of a session refuses nobody who waits") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.enqueued(1, 1);
    f.release(1); // and 2 is granted
    f.reply(machine_fixture::hand_over(0, 1), replies::no_auth());
    f.reply("transact " + ticket_path(0) + "check " + ticket_path(1) + "; delete " + ticket_path(0),
            replies::no_auth());
    f.events();
    SECTION("while a deletion is open") {
        f.cut();
        f.release(2);
        f.acquire(3);
        f.cut(disconnect_reason::expired);
        CHECK(f.events() == texts{"released 2 none"});
    }
    SECTION("while the denied one is tried again") {
        f.acquire(3);
        CHECK(f.open().back() == "get " + ticket_path(0));
        f.cut(disconnect_reason::expired);
        CHECK(f.events() == texts{"lost 2 lost_expired"});
    }
    f.pass(3s);
    f.accept(other_session);
    CHECK(f.open().back() == "enqueue /l/turn-5-lock-");
    f.reply("check /l", replies::ok());
    f.enqueued(4, 0);
    CHECK(f.events() == texts{"granted 3 token 104"});
}

TEST_CASE("what may not be deleted is no stray: a listing of the session's own finds nothing new") {
    machine_fixture f;
    f.connect();
    f.acquire(1);
    f.reply("get /l", replies::folder(5));
    f.cut(); // its create may come late: the path is listed once more, a session timeout later
    f.reconnect();
    f.reply("check /l", replies::ok());
    f.reply("list /l", replies::listing({}));
    f.enqueued(0, 0);
    f.release(1);
    f.reply("release " + ticket_path(0), replies::no_auth());
    f.reply("delete " + ticket_path(0), replies::no_auth());
    f.live(16s);
    f.reply("list /l", replies::listing({"turn-5-lock-0000000000"}));
    f.live(0s);
    CHECK(f.open().empty());
    CHECK(f.events() == texts{"granted 1 token 100", "released 1 release_denied"});
}
