// SPDX-License-Identifier: BSL-1.0
// Who stands before a ticket: one get where the neighbour is there, one listing where it is not.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// Ticket 1 stands at sequence 5 and has found nobody at 4: a listing is due.
void need_listing(machine_fixture& f) {
    f.begin_acquire();
    f.enqueued(5, 1);
    f.reply("watch " + ticket_path(4), replies::no_node());
    REQUIRE(f.open() == texts{"list /l"});
}

std::string own_name() { return "turn-5-lock-0000000005"; }

} // namespace

TEST_CASE("the ticket right before is named without a listing, and watched") {
    machine_fixture f;
    f.wait(3);
    CHECK(f.last_request.watch);
    f.live(60s);
    CHECK(f.open().empty());
    CHECK(f.events().empty());
}

TEST_CASE("a node that is not ephemeral is no ticket") {
    machine_fixture f;
    f.begin_acquire();
    f.enqueued(5, 1);
    f.reply("watch " + ticket_path(4), replies::node(9, 0));
    f.reply("list /l", replies::listing({"turn-5-lock-0000000004", own_name(), "lock-0000000003"}));
    f.reply("watch /l/lock-0000000003", replies::node(8, 0));
    CHECK(f.open() == texts{"list /l"});
    f.reply("list /l", replies::listing({"turn-5-lock-0000000004", own_name(), "lock-0000000003"}));
    CHECK(f.events() == texts{"granted 1 token 105"});
}

TEST_CASE("another program's node with the own number is not the own ticket") {
    machine_fixture f;
    need_listing(f);
    f.reply("list /l", replies::listing({"other-lock-0000000005"}));
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"delete " + ticket_path(5), "enqueue /l/turn-5-lock-"});
}

TEST_CASE("the nearest contender below counts, by number and of whatever kind") {
    machine_fixture f;
    need_listing(f);
    const auto nearest =
        GENERATE(as<std::string>{}, "turn-5-lock-0000000003", "open-5-lock-0000000003",
                 "turn-5-read-lock-0000000003", "turn-4-lock-0000000003", "_c_0a-lock-0000000003",
                 "0123456789abcdef0123456789abcdef__lock__0000000003",
                 "0123456789abcdef0123456789abcdef__rlock__0000000003",
                 "x-72057594037927936-0000000003", "x--1-0000000003", "lock-0000000003");
    f.reply("list /l", replies::listing({"zz-lock-0000000001", nearest, "config", own_name(),
                                         "aa-lock-0000000009", "x-1-0000000002"}));
    f.reply("watch /l/" + nearest, replies::node(7, other_session));
    CHECK(f.open().empty());
    CHECK(f.events().empty());
}

TEST_CASE("a predecessor that may not be read ends the acquire and its ticket") {
    machine_fixture f;
    need_listing(f);
    f.reply("list /l", replies::listing({"lock-0000000003", own_name()}));
    f.reply("watch /l/lock-0000000003", replies::no_auth());
    CHECK(f.events() == texts{"failed 1 read_denied"});
    CHECK(f.open() == texts{"delete " + ticket_path(5)});
}

TEST_CASE("a listing that is denied ends the acquire and its ticket") {
    machine_fixture f;
    need_listing(f);
    f.reply("list /l", replies::no_auth());
    CHECK(f.events() == texts{"failed 1 read_denied"});
    CHECK(f.open() == texts{"delete " + ticket_path(5)});
}

TEST_CASE("a lock path that is gone at the listing is made again") {
    machine_fixture f;
    need_listing(f);
    f.reply("list /l", replies::no_node());
    f.reply("delete " + ticket_path(5), replies::no_node());
    f.reply("enqueue /l/turn-5-lock-", replies::no_node());
    f.reply("get /l", replies::no_node());
    CHECK(f.open() == texts{"container /l"});
}

TEST_CASE("a reader looks over readers, and stands behind the nearest exclusive one") {
    machine_fixture f;
    f.begin_shared_acquire();
    f.reader_enqueued(5, 4);
    f.reply("watch " + ticket_path(4), replies::no_node());
    f.reply("get " + reader_path(4), replies::node(104, other_session));
    f.reply("list /l", replies::listing({"turn-5-read-lock-0000000004", "turn-5-lock-0000000002",
                                         "abc__rlock__0000000003", "turn-5-read-lock-0000000005",
                                         "turn-5-lock-0000000001"}));
    CHECK(f.open() == texts{"watch " + ticket_path(2)});
}
