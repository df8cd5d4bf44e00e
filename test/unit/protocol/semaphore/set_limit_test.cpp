// SPDX-License-Identifier: BSL-1.0
// A limit is set where there is one: each question, and every answer.
#include "unit/protocol/semaphore/change_fixture.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a limit that others set meanwhile is read again") {
    auto r = setting(9);
    r.answer(asks, limit_is(3));
    for (std::int32_t version = 4; version < 44; ++version) { // as often as they do
        r.answer(sets(version), zookeeper_code::bad_version);
        r.answer(asks, limit_is(3, version + 1));
    }
    r.answer(sets(44), zookeeper_code::ok);
    CHECK(r.outcome() == "none");
}

TEST_CASE("a semaphore that comes and goes sixteen times makes its path unstable") {
    auto r = setting(9);
    for (int round = 0; round <= 16; ++round) {
        r.answer(asks, limit_is(3));
        r.answer(sets(4), zookeeper_code::no_node);
    }
    CHECK(r.outcome() == "path_unstable");
}

TEST_CASE("a limit that may not be set is refused by its reason") {
    auto r = setting(9);
    r.answer(asks, limit_is(3));
    SECTION("WRITE is denied") {
        r.answer(sets(), denied(0, 1));
        CHECK(r.outcome() == "write_denied");
    }
    SECTION("the server says something else") {
        r.answer(sets(), zookeeper_code::bad_arguments);
        CHECK(r.outcome() == "server_error");
    }
}

TEST_CASE("another program's node is not set") {
    auto r = setting(9);
    r.answer(asks, replies::node(7, 0, "whatever"));
    CHECK(r.outcome() == "wrong_kind");
}

TEST_CASE("a limit whose answer was lost is set again only where it is as it was") {
    auto r = setting(9);
    r.answer(asks, limit_is(3));
    r.answer(sets(), zookeeper_code::connection_loss);
    r.answer(asks, limit_is(3));
    r.answer(sets(), zookeeper_code::session_moved); // nor is the second answer there
    SECTION("it is as it was") {
        r.answer(asks, limit_is(3));
        r.answer(sets(), zookeeper_code::ok);
    }
    SECTION("one of the two came late, and was done") {
        r.answer(asks, limit_is(3));
        r.answer(sets(), zookeeper_code::bad_version);
        r.answer(asks, limit_is(9, 5));
    }
    SECTION("it was done, and another has set it to something else") {
        r.answer(asks, limit_is(8, 6));
    }
    SECTION("it was done, and the semaphore was removed") {
        r.answer(asks, zookeeper_code::no_node);
    }
    SECTION("it was done, and the semaphore was made anew") {
        auto another = limit_is(3);
        another.stat.czxid = 70;
        r.answer(asks, another);
    }
    CHECK(r.outcome() == "none");
}
