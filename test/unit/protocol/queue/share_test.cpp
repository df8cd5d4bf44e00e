// SPDX-License-Identifier: BSL-1.0
// Readers of one session that share a ticket.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// Reader 1 holds, at sequence 0.
void hold_shared(machine_fixture& f) {
    f.begin_shared_acquire();
    f.reader_enqueued(0, 0);
    REQUIRE(f.events() == texts{"granted 1 token 100"});
}

} // namespace

TEST_CASE("a reader does not pass a writer of its own session that came to stand behind") {
    machine_fixture f;
    f.begin_acquire();
    f.cut(); // nobody knows whether there is a ticket
    f.reconnect();
    f.acquire_shared(2);
    REQUIRE(f.open() == texts{"check /l", "list /l", "enqueue /l/turn-5-read-lock-"});
    SECTION("and nobody knows of either's ticket") {
        f.acquire_shared(3);
        CHECK(f.open().back() == "enqueue /l/turn-5-read-lock-");
        CHECK(f.open().size() == 4);
    }
    const auto recovers = [&] { // and has found no ticket
        f.reply("check /l", replies::ok());
        f.reply("list /l", replies::listing({}));
    };
    SECTION("and has no ticket yet") {
        recovers();
        f.reader_enqueued(0, 0);
        f.acquire_shared(3);
        CHECK(f.events() == texts{"granted 2 token 100"});
        CHECK(f.open() == texts{"enqueue /l/turn-5-lock-", "enqueue /l/turn-5-read-lock-"});
    }
    SECTION("and has a ticket") {
        recovers();
        f.reader_enqueued(0, 0);
        f.enqueued(1, 1);
        f.reply("list /l",
                replies::listing({"turn-5-read-lock-0000000000", "turn-5-lock-0000000001"}));
        f.reply("watch " + reader_path(0), replies::node(100, our_session));
        f.acquire_shared(3);
        CHECK(f.events() == texts{"granted 2 token 100"});
        CHECK(f.open() == texts{"enqueue /l/turn-5-read-lock-"});
    }
    SECTION("until the writer has given up") {
        recovers();
        f.reader_enqueued(0, 0);
        f.cancel(1);
        f.acquire_shared(3);
        CHECK(f.events() ==
              texts{"granted 2 token 100", "failed 1 cancelled", "granted 3 token 100"});
    }
}

TEST_CASE("so many readers share a ticket, and the next has its own") {
    auto options = machine_fixture::defaults();
    options.joins = 2;
    machine_fixture f(options);
    hold_shared(f);
    f.acquire_shared(2);
    f.release(2);
    f.acquire_shared(3);
    CHECK(f.events() == texts{"granted 2 token 100", "released 2 none", "granted 3 token 100"});
    f.acquire_shared(4); // two have joined, though one of them has gone
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"enqueue /l/turn-5-read-lock-"});
}

TEST_CASE("a stale lease lets nobody share") {
    machine_fixture f;
    hold_shared(f);
    f.cut();
    f.pass(14s); // it holds still, and what is left would not do for a new grant
    f.acquire_shared(2);
    CHECK(f.events() == texts{});
}

TEST_CASE("an own waiter is served when the last handle goes") {
    machine_fixture f;
    f.hold();
    f.share(1, 2);
    f.acquire(3);
    f.enqueued(1, 1);
    f.release(1);
    CHECK(f.events() == texts{"released 1 none"});
    f.release(2);
    CHECK(f.events() == texts{"granted 3 token 101"});
}

TEST_CASE("an acquire that would wait for its own session is refused where that is asked for") {
    auto options = machine_fixture::defaults();
    options.refuses_own_waits = GENERATE(true, false);
    machine_fixture f(options);
    f.hold();
    f.told.notes.clear();
    f.acquire(2);
    if (options.refuses_own_waits) {
        CHECK(f.events() == texts{"failed 2 would_deadlock"});
        CHECK(f.open().empty());
    } else {
        CHECK(f.open() == texts{"enqueue /l/turn-5-lock-"});
        CHECK(f.events().empty());
    }
    CHECK(f.told.notes.empty());
    f.acquire(3, "/m"); // another path
    CHECK(f.events().empty());
    f.try_acquire(4); // which does not wait
    CHECK(f.events() == texts{"failed 4 would_block"});
}
