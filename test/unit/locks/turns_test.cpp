// SPDX-License-Identifier: BSL-1.0
// Calls that have their turn one after the other.
#include "locks/turns.hpp"

#include "support/pch.hpp"

#include <string>

using namespace turnstile::detail;

TEST_CASE("a call that was prepared has its turn once, after the one that takes it") {
    turns of;
    std::string order;
    auto second = turns::prepare([&] { order += 'b'; });
    of.take([&] {
        of.take(second);
        of.take(second);
        order += 'a';
    });
    CHECK(order == "ab");
    of.take(second);
    CHECK(order == "ab");
}
