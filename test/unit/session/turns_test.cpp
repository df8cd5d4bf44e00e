// SPDX-License-Identifier: BSL-1.0
// Calls that have their turn one after the other.
#include "session/values/turns.hpp"

#include "support/pch.hpp"

using namespace turnstile::detail;

TEST_CASE("a call that comes within another has its turn after it, also where that one throws") {
    turns of;
    std::string order;
    const auto two = [&] {
        of.take([&] { order += 'b'; });
        order += 'a';
        throw std::runtime_error("the first");
    };
    CHECK_THROWS_AS(of.take(two), std::runtime_error);
    CHECK(order == "ab");
    of.take([&] { order += 'c'; });
    CHECK(order == "abc");
}
