// Who acquires leases gives up, wherever it is: it is told at once, and leaves nothing behind.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct trying_user : user_of_leases {
    /// Has given up, and its transaction is open.
    trying_user() {
        connect();
        take(1);
        told_limit(3);
        cancel(1);
        REQUIRE(events() == texts{"failed 1 cancelled"});
        REQUIRE(open() == texts{try_text(1)});
    }
};

struct taking_user : user_of_leases {
    taking_user() {
        is_taking();
        cancel(1);
        REQUIRE(events() == texts{"failed 1 cancelled"});
        REQUIRE(open() == texts{take_text(2, 4)});
    }
};

} // namespace

TEST_CASE("who gives up before the limit is known asks for nothing more") {
    user_of_leases f;
    f.connect();
    f.take(1);
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    f.told_limit(3);
    CHECK(f.open().empty());
}

TEST_CASE("who gives up while it tries is told once, and its leases are given back") {
    trying_user f;
    f.cancel(1);
    CHECK(f.events().empty());
    SECTION("they were free") { f.tried(1, 0, 0); }
    SECTION("too few were free") { f.tried(1, 0, 3); }
    CHECK(f.open() == texts{"delete " + own_lease});
    CHECK(f.events().empty());
}

TEST_CASE("who gives up while it tries leaves nothing behind where the try is refused") {
    trying_user f;
    const auto code = GENERATE(zookeeper_code::no_auth, zookeeper_code::bad_version,
                               zookeeper_code::no_node, zookeeper_code::throttled,
                               zookeeper_code::node_exists, zookeeper_code::invalid_acl);
    f.reply(f.try_text(1), replies::code(code));
    CHECK(f.open().empty());
    CHECK(f.events().empty());
    f.take(2); // and the next one goes on
    CHECK(f.open() == texts{f.try_text(2)});
}

TEST_CASE("who gives up while it tries is not forgotten where the answer is lost") {
    trying_user f;
    f.cut();
    CHECK(f.events().empty());
    f.reconnect();
    f.reply("check /s/limit", replies::ok());
    f.listed({lease_text(true, 1, 0), others_lease(true, 1)}, 2);
    CHECK(f.open() == texts{"delete " + own_lease});
}

TEST_CASE("who waits behind one that gives up while it tries comes next") {
    user_of_leases f;
    f.connect();
    f.take(1);
    f.take(2);
    f.told_limit(3);
    f.cancel(1);
    f.tried(1, 0, 0);
    CHECK(f.open() == texts{"delete " + own_lease, f.try_text(2)});
    CHECK(f.events() == texts{"failed 1 cancelled"});
}

TEST_CASE("who gives up in line leaves it, before its ticket is made or after") {
    user_of_leases f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.tried(1, 0, 3);
    f.reply("delete " + own_lease, replies::ok());
    const auto made = replies::placed(place(4), 250, 1, semaphore_incarnation);
    SECTION("before") {
        f.cancel(1);
        CHECK(f.events() == texts{"failed 1 cancelled"});
        f.reply(enqueues, made);
        f.told_limit(3, 0, true);
    }
    SECTION("after") {
        f.reply(enqueues, made);
        f.told_limit(3, 0, true);
        f.reply("watch " + place(3), replies::node(240, other_session));
        f.cancel(1);
        CHECK(f.events() == texts{"failed 1 cancelled"});
    }
    CHECK(f.open() == texts{"delete " + place(4)});
}

TEST_CASE("who gives up while it takes leases is told once, and they are given back") {
    taking_user f;
    f.cancel(1);
    f.taken(2, 4, 4);
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"delete " + in_leases(lease_text(false, 2, 4))});
}

TEST_CASE("who gives up while it takes leases leaves the line where that is refused") {
    taking_user f;
    const auto code = GENERATE(zookeeper_code::no_auth, zookeeper_code::bad_version,
                               zookeeper_code::no_node, zookeeper_code::throttled,
                               zookeeper_code::node_exists, zookeeper_code::invalid_acl);
    f.reply(f.take_text(2, 4), replies::code(code));
    CHECK(f.open() == texts{"delete " + place(4)});
    CHECK(f.events().empty());
}

TEST_CASE("the next of the session is first when one that took leases has given up") {
    user_of_leases f;
    f.is_taking();
    f.take(2);
    f.cancel(1);
    f.reply(f.take_text(2, 4), replies::code(zookeeper_code::bad_version));
    f.reply(enqueues, replies::placed(place(5), 260, 1, semaphore_incarnation));
    f.reply("delete " + place(4), replies::ok());
    f.reply("list /s/queue", replies::listing({"turn-7-lock-0000000005"}, semaphore_incarnation));
    CHECK(f.open() == texts{"list /s/leases"});
}

TEST_CASE("what was given up holds nothing that could be cancelled or released") {
    user_of_leases f;
    f.holds();
    f.cancel(1); // too late: it is held
    CHECK(f.events().empty());
    CHECK(f.open().empty());
    f.take(2);
    f.cancel(2);
    f.release(2);
    CHECK(f.events() == texts{"failed 2 cancelled", "released 2 lost_deadline"});
}
