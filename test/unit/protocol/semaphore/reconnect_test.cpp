// What a cut leaves in doubt: leases that were not seen since, and takes of those that gave up.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a found lease is not granted before this connection has shown it") {
    user_of_leases f;
    f.is_first(1);
    f.listed({}, 4);
    REQUIRE(f.open() == texts{f.take_text(2, 4)});
    f.cut();
    f.reconnect();
    while (f.open().front() != "get " + found_take) {
        const auto next = f.open().front();
        if (next == "list /s/leases")
            f.listed({lease_text(false, 2, 4)}, 5);
        else
            f.reply(next, next == "watch /s/limit" ? reply{.stat = {.czxid = semaphore_incarnation},
                                                           .data = limit_text(3)}
                                                   : replies::no_node());
    }
    f.reply("get " + found_take, replies::node(300, our_session));
    CHECK(f.events().empty());
    f.cut(); // and another hand deletes it
    f.reconnect();
    CHECK(f.events().empty());
    for (int answers = 0; answers < 10 && !f.open().empty(); ++answers)
        f.reply(f.open().front(), replies::no_node());
    CHECK(std::ranges::count(f.events(), "granted 1 token 300") == 0);
}

TEST_CASE("who gives up while the outcome of its take is unknown leaves the line") {
    user_of_leases f;
    f.is_first(1);
    f.listed({}, 4);
    REQUIRE(f.open() == texts{f.take_text(2, 4)});
    SECTION("before the connection broke") {
        f.cancel(1);
        f.cut();
    }
    SECTION("after it") {
        f.cut();
        f.cancel(1);
    }
    CHECK(f.events() == texts{"failed 1 cancelled"});
    f.reconnect();
    bool ticket_deleted = false;
    bool lease_deleted = false;
    for (int answers = 0; answers < 30 && !f.open().empty(); ++answers) {
        const auto next = f.open().front();
        ticket_deleted |= next == "delete " + place(4);
        lease_deleted |= next == "delete " + in_leases(lease_text(false, 2, 4));
        CHECK_FALSE(next.starts_with("transact /scheck /s/limit"));
        CHECK_FALSE(next.starts_with("enqueue"));
        if (next == "list /s/leases")
            f.listed({lease_text(false, 2, 4)}, 5);
        else
            f.reply(next, next.starts_with("get " + place(4)) ? replies::node(250, our_session)
                                                              : replies::ok());
    }
    CHECK(ticket_deleted);
    CHECK(lease_deleted);
    f.live(1s);
    CHECK(f.events().empty());
}

TEST_CASE("who gave up does not line up again where its ticket is gone") {
    user_of_leases f;
    f.is_first(1);
    f.take(3); // is enqueued, and learns that the queue is another
    f.listed({}, 4);
    REQUIRE(f.open() == texts{"enqueue /s/queue/turn-7-lock-", f.take_text(2, 4)});
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    f.reply("enqueue /s/queue/turn-7-lock-",
            replies::placed(place(5), 260, 1, semaphore_incarnation + 1));
    CHECK(std::ranges::count_if(
              f.open(), [](const std::string& text) { return text.starts_with("enqueue"); }) == 1);
}

TEST_CASE("a limit is remembered for one connection: another may have the same version later") {
    user_of_leases f;
    f.holds();
    f.cut();
    f.take(2);
    f.reconnect(); // to servers that lost the limit of 3, and were set another since
    f.reply("check " + own_lease, replies::ok());
    f.told_limit(1);
    f.tried(2, 0, 1, 1);
    CHECK(f.events().empty());
    CHECK(f.open().front() == "delete " + in_leases(lease_text(true, 2, 1)));
}

TEST_CASE("who is first again after a cut counts all leases: who stood before may have come back") {
    user_of_leases f;
    f.is_first(1);
    f.listed({others_lease(false, 0), others_lease(false, 1), others_lease(false, 2)}, 4);
    f.cut();
    f.reconnect();
    while (!f.open().empty() && f.open().front() != "list /s/leases") {
        const auto next = f.open().front();
        f.reply(next, next == "watch /s/limit"
                          ? reply{.stat = {.czxid = semaphore_incarnation}, .data = limit_text(3)}
                      : next == "list /s/queue"
                          ? replies::listing({"turn-7-lock-0000000004"}, semaphore_incarnation)
                      : next.starts_with("watch ") ? replies::no_node()
                                                   : replies::ok());
    }
    // One that tried as the first, and was granted once more.
    f.listed({others_lease(false, 0), others_lease(false, 1), others_lease(true, 5)}, 6);
    CHECK(f.events().empty());
    CHECK(f.open().empty());
}
