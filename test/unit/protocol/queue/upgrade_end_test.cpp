// SPDX-License-Identifier: BSL-1.0
// An upgrade whose reader is gone, or lost, before the answer; and numbers that are used up.
#include "unit/protocol/queue/upgrade_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;
using namespace turnstile::test::upgrading;

TEST_CASE("a reader that has lost the lock is not upgraded") {
    machine_fixture f;
    read(f);
    f.cut();
    f.pass(15s);
    REQUIRE(f.events() == texts{"lost 1 lost_deadline"});
    f.upgrade(1, 9);
    CHECK(f.events() == texts{"upgraded 1 lost_deadline"});
}

TEST_CASE("where the numbers of a path are used up no reader becomes a writer") {
    machine_fixture f;
    read(f);
    begin_upgrade(f);
    SECTION("the server's counter sticks") {
        f.reply(the_upgrade, refused_step(2, 3, zookeeper_code::node_exists));
        CHECK(f.open().empty());
    }
    SECTION("the counter is near its end") {
        f.reply(the_upgrade, made(sequence_limit, 1));
        CHECK(f.open() == texts{"delete " + ticket_path(sequence_limit)});
    }
    SECTION("the counter has overflown") {
        auto answer = made(0, 1);
        answer.results.back().path = "/l/turn-5-lock--2147483648";
        f.reply(the_upgrade, answer);
        CHECK(f.open().size() == 1); // the deletion
    }
    CHECK(f.events() == texts{"upgraded 1 sequence_exhausted"});
    f.release(1); // still a reader
    CHECK(f.open().back() == "delete " + reader_path(0));
}
