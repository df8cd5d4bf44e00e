// SPDX-License-Identifier: BSL-1.0
// Several locks in one transaction that is refused, or not sent for all of them.
#include "unit/protocol/session/company_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("of several that a busy server sent back the first is told why") {
    taker_of_several f;
    f.asks_for(2);
    f.reply(f.steps(2), replies::code(zookeeper_code::throttled));
    CHECK(f.events() == texts{"failed 1 server_error", "failed 2 taken_back"});
    CHECK(f.open().empty());
}

TEST_CASE("one of several that cannot be in one transaction is for itself") {
    taker_of_several f;
    f.connect();
    acquire_request first;
    first.path = "/a";
    first.incarnation = 5;
    acquire_request second = first;
    SECTION("a lock of one node") {
        second.path = "/b";
        second.single_node = true;
    }
    SECTION("one below another") { second.path = "/a/below"; }
    f.machine.acquire(f.now, {{.id = 1, .what = first}, {.id = 2, .what = second}});
    CHECK(f.open() == texts{f.steps(1)});
    CHECK(f.events() == texts{"failed 2 taken_back"});
}

TEST_CASE("several are not taken at once where one path is known by another incarnation") {
    taker_of_several f;
    f.connect();
    f.acquire(9, "/b");
    f.reply("get /b", replies::folder(7));
    f.reply("enqueue /b/turn-7-lock-", replies::placed("/b/turn-7-lock-0000000000", 90, 0, 7));
    f.release(9);
    f.reply("release /b/turn-7-lock-0000000000", replies::ok());
    f.events();
    f.take(3);
    CHECK(f.open() == texts{f.steps(1)});
    CHECK(f.events() == texts{"failed 2 taken_back", "failed 3 taken_back"});
}

TEST_CASE("several are not taken at once where an own ticket may not be deleted") {
    taker_of_several f;
    f.connect();
    f.acquire(9, "/b");
    f.reply("get /b", replies::folder(5));
    f.reply("enqueue /b/turn-5-lock-", replies::placed(f.node_of(2), 90, 0));
    f.release(9);
    f.reply("release " + f.node_of(2), replies::no_auth());
    f.reply("delete " + f.node_of(2), replies::no_auth());
    CHECK(f.events().back() == "released 9 release_denied");
    f.take(2);
    CHECK(f.open() == texts{f.steps(1)});
    CHECK(f.events() == texts{"failed 2 taken_back"});
    f.reply(f.steps(1), replies::code(zookeeper_code::throttled));
    f.events();
    f.acquire(8, "/b"); // which tries it once more
    REQUIRE(f.open() == texts{"get " + f.node_of(2)});
    f.cancel(8);
    f.take(2);
    CHECK(f.events() == texts{"failed 8 cancelled", "failed 2 taken_back"});
}
