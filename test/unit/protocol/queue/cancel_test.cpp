// SPDX-License-Identifier: BSL-1.0
// Cancelling in each phase: told at once, and nothing stays behind.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("cancelling while the ticket is made: told at once, deleted when its reply comes") {
    machine_fixture f;
    f.begin_acquire();
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    f.cancel(1);
    CHECK(f.events().empty());
    SECTION("made") {
        f.enqueued(0, 0);
        CHECK(f.open() == texts{"delete " + ticket_path(0)});
        f.reply("delete " + ticket_path(0), replies::ok());
    }
    SECTION("not made") { f.reply("enqueue /l/turn-5-lock-", replies::no_node()); }
    CHECK(f.events().empty());
    CHECK(f.open().empty());
}

TEST_CASE("a time limit ends the acquire in any phase, and not a held lock") {
    machine_fixture f;
    f.connect();
    f.acquire_for(1, 5s);
    SECTION("while the path is asked for") {
        f.pass(5s - 1ns);
        CHECK(f.events().empty());
        f.pass(1ns);
        CHECK(f.events() == texts{"failed 1 timeout"});
    }
    SECTION("while the ticket is made") {
        f.reply("get /l", replies::folder(5));
        f.pass(5s);
        CHECK(f.events() == texts{"failed 1 timeout"});
        while (f.open().front() != "enqueue /l/turn-5-lock-")
            f.reply(f.open().front(), replies::ok());
        f.enqueued(0, 0);
        CHECK(f.open().back() == "delete " + ticket_path(0));
        CHECK(f.events().empty());
    }
    SECTION("while waiting") {
        f.reply("get /l", replies::folder(5));
        f.enqueued(1, 1);
        f.reply("watch " + ticket_path(0), replies::node(100, other_session));
        f.live(5s);
        CHECK(f.events() == texts{"failed 1 timeout"});
        CHECK(f.open() == texts{"delete " + ticket_path(1)});
    }
    SECTION("while there is no connection") {
        f.cut();
        f.pass(5s);
        CHECK(f.events() == texts{"failed 1 unreachable"});
    }
    SECTION("not when held") {
        f.reply("get /l", replies::folder(5));
        f.enqueued(0, 0);
        REQUIRE(f.events() == texts{"granted 1 token 100"});
        f.live(60s);
        CHECK(f.events().empty());
    }
}
