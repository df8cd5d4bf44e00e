// SPDX-License-Identifier: BSL-1.0
// What the events of a predecessor mean to the one who waits.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// Ticket 1 stands at 5 and watches `name`, found by a listing.
void wait_behind(machine_fixture& f, const std::string& name) {
    f.begin_acquire();
    f.enqueued(5, 1);
    f.reply("watch " + ticket_path(4), replies::no_node());
    f.reply("list /l", replies::listing({name, "turn-5-lock-0000000005"}));
    f.reply("watch /l/" + name, replies::node(50, other_session));
    REQUIRE(f.open().empty());
}

} // namespace

TEST_CASE(
    "a ticket that may have been deleted while there was no connection is not granted unseen") {
    machine_fixture f;
    f.wait();
    f.cut();
    f.reconnect();
    f.reply("check " + ticket_path(1), replies::ok());
    f.own_watches_by_hand = true;
    f.reply("list " + ticket_path(1), replies::code(zookeeper_code::throttled));
    f.reply("watch " + ticket_path(0), replies::node(100, other_session));
    SECTION("it is asked for first") {
        f.changed(ticket_path(0));
        CHECK(f.events().empty());
        f.reply("check " + ticket_path(1), replies::no_node());
        CHECK(f.events().empty());
        f.enqueued(2, 0);
        CHECK(f.events() == texts{"granted 1 token 102"}); // this one was seen
        CHECK(f.open().empty());
    }
    SECTION("once it watches itself again, nothing is asked") {
        f.pass(2s);
        f.reply(machine_fixture::waiting_beat(1, 0), replies::ok());
        f.reply("list " + ticket_path(1), replies::node(101, our_session));
        f.changed(ticket_path(0));
        CHECK(f.events() == texts{"granted 1 token 101"});
    }
}

TEST_CASE("a change of any other node than a guarded exclusive ticket is no release") {
    const auto name = GENERATE(as<std::string>{}, "_c_0a-lock-0000000003", "lock-0000000003",
                               "0a__lock__0000000003", "x-1-0000000003", "open-5-lock-0000000003",
                               "turn-4-lock-0000000003", "turn-05x-lock-0000000003");
    machine_fixture f;
    wait_behind(f, name);
    f.changed("/l/" + name);
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"list /l"});
    f.reply("list /l", replies::listing({name, "turn-5-lock-0000000005"}));
    CHECK(f.open() == texts{"watch /l/" + name}); // still there: watched again
}

TEST_CASE("after a reconnect every waiter looks again, and takes no earlier event") {
    machine_fixture f;
    f.wait();
    f.cut();
    f.changed(ticket_path(0));
    CHECK(f.events().empty());
    f.reconnect();
    f.changed(ticket_path(0)); // a node deleted and made again comes as CHANGED from SetWatches
    CHECK(f.events().empty());
    f.reply("check " + ticket_path(1), replies::ok());
    SECTION("the predecessor is still there") {
        f.reply("watch " + ticket_path(0), replies::node(100, other_session));
        CHECK(f.events().empty());
        f.changed(ticket_path(0));
        CHECK(f.events() == texts{"granted 1 token 101"});
    }
    SECTION("the predecessor is gone") {
        f.reply("watch " + ticket_path(0), replies::no_node());
        f.reply("list /l", replies::listing({"turn-5-lock-0000000001"}));
        CHECK(f.events() == texts{"granted 1 token 101"});
    }
}

TEST_CASE("a holder that finds another program's node of its name has lost, and leaves that node") {
    machine_fixture f;
    f.hold(3); // by transaction 103
    f.own_watches_by_hand = true;
    f.pass(2s);
    const auto watches = "list " + ticket_path(3);
    while (!f.open().empty() && f.open().front() != watches)
        f.reply(f.open().front(), replies::ok());
    f.reply(watches, replies::node(900, other_session));
    CHECK(f.events() == texts{"lost 1 ticket_deleted"});
    CHECK(f.open().empty());
}

TEST_CASE("a waiting ticket watches itself before it watches its predecessor") {
    machine_fixture f;
    f.own_watches_by_hand = true;
    f.begin_acquire();
    f.enqueued(1, 1);
    REQUIRE(f.open() == texts{"list " + ticket_path(1), "watch " + ticket_path(0)});
    f.reply("list " + ticket_path(1), replies::node(101, our_session));
    f.reply("watch " + ticket_path(0), replies::node(100, other_session));
    f.deleted(ticket_path(1)); // by an external actor, before the release of the holder
    f.changed(ticket_path(0));
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"enqueue /l/turn-5-lock-"});
}

TEST_CASE("an event that never came is found by a beat, and told") {
    machine_fixture f;
    f.wait();
    f.pass(2s);
    SECTION("the predecessor is gone: it searches again") {
        f.reply(machine_fixture::waiting_beat(1, 0), replies::failed_at(1, 2));
        CHECK(f.events() == texts{"missed " + ticket_path(0)});
        f.reply("watch " + downgraded_path(0), replies::no_node());
        f.reply("list /l", replies::listing({"turn-5-lock-0000000001"}));
        CHECK(f.events() == texts{"granted 1 token 101"});
    }
    SECTION("the event came before the answer: it says nothing more") {
        f.deleted(ticket_path(0));
        f.reply(machine_fixture::waiting_beat(1, 0), replies::failed_at(1, 2));
        f.reply("watch " + downgraded_path(0), replies::no_node());
        CHECK(f.open() == texts{"list /l"});
        CHECK(f.events().empty());
    }
}

TEST_CASE("a ticket that watches its data is not granted by an event while that watch is gone") {
    auto options = machine_fixture::defaults();
    options.watches_own_data = true;
    machine_fixture f(options);
    f.begin_acquire();
    f.enqueued(5, 1);
    f.reply("watch " + ticket_path(5), replies::node(105, our_session));
    f.reply("watch " + ticket_path(4), replies::node(104, other_session));
    f.changed(ticket_path(5)); // an operator has set it
    f.changed(ticket_path(4)); // the holder has released
    CHECK(f.events().empty());
    SECTION("it was deleted in between") {
        f.reply("watch " + ticket_path(5), replies::no_node());
        CHECK(f.events().empty());
        CHECK(f.open().back() == "enqueue /l/turn-5-lock-");
    }
    SECTION("it stands") {
        f.reply("watch " + ticket_path(5), replies::node(105, our_session));
        f.reply("check " + ticket_path(5), replies::ok());
        CHECK(f.events() == texts{"granted 1 token 105"});
    }
}

TEST_CASE("a waiting ticket that is gone is told as deleted only while there is a lease") {
    machine_fixture f;
    f.wait(1);
    const bool by_another_program = GENERATE(true, false);
    if (!by_another_program)
        f.now += 20s; // the process stood still, and the session may have expired meanwhile
    f.deleted(ticket_path(1));
    CHECK(std::ranges::any_of(f.told.notes, [](const std::string& note) {
              return note.starts_with("waiting ticket deleted from outside");
          }) == by_another_program);
}
