// SPDX-License-Identifier: BSL-1.0
// The limit that is stored is read.
#include "unit/protocol/semaphore/change_fixture.hpp"

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
    const auto [answer, why] = GENERATE(table<reply, std::string>(
        {{replies::no_node(), "no_limit"},
         {replies::node(7, 0, "whatever"), "wrong_kind"}, // another program's
         {replies::no_auth(), "read_denied"},
         {replies::code(zookeeper_code::marshalling_error), "server_error"}}));
    r.answer(asks, answer);
    CHECK(r.outcome() == why);
    if (why.ends_with("denied") || why == "server_error")
        CHECK(r.what.code() == answer.code);
}
