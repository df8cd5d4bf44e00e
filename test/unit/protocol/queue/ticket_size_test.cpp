// SPDX-License-Identifier: BSL-1.0
// What each coroutine in line costs in memory: a session may have ten thousand of them.
#include "protocol/queue/ticket.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

TEST_CASE("a ticket takes no more than it did") {
    CHECK(sizeof(ticket) <= 232); // a block of 240 bytes; `turnstile-bench memory` has the whole
    CHECK(sizeof(timer) == 2 * sizeof(void*));
    CHECK(sizeof(ticket_name) <= 16);
}
