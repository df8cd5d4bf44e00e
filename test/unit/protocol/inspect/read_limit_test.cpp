// SPDX-License-Identifier: BSL-1.0
// The limit that is stored is read.
#include "unit/protocol/inspect/change_fixture.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("the limit that is stored is told") {
    auto r = reading();
    r.answer(asks, limit_is(12));
    CHECK(r.outcome() == "none");
    CHECK(r.what.limit() == 12);
}

TEST_CASE("a limit that cannot be read is told by its reason") {
    auto r = reading();
    SECTION("there is none") {
        r.answer(asks, zookeeper_code::no_node);
        CHECK(r.outcome() == "no_limit");
    }
    SECTION("it is another program's node") {
        r.answer(asks, replies::node(7, 0, "whatever"));
        CHECK(r.outcome() == "wrong_kind");
    }
    SECTION("READ is denied") {
        r.answer(asks, zookeeper_code::no_auth);
        CHECK(r.outcome() == "read_denied");
        CHECK(r.what.code() == zookeeper_code::no_auth);
    }
    SECTION("the server says something else") {
        r.answer(asks, zookeeper_code::marshalling_error);
        CHECK(r.outcome() == "server_error");
        CHECK(r.what.code() == zookeeper_code::marshalling_error);
    }
}
