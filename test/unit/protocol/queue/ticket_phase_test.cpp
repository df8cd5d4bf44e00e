// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/ticket_phase.hpp"
#include "support/pch.hpp"

#include <cstddef>

using namespace turnstile::protocol;

namespace {

bool may_enter(ticket_phase to, ticket_phase from) {
    return ticket_phases.at(static_cast<std::size_t>(to)).is_entered_from(from);
}

} // namespace

TEST_CASE("only a ticket that is confirming is granted, and only a held one is told lost") {
    using enum ticket_phase;
    for (const auto& [from, bits] : ticket_phases) {
        CHECK(may_enter(held, from) == (from == confirming));
        CHECK(may_enter(lost, from) == (from == held));
    }
}

TEST_CASE("a ticket whose create is unknown is not created again before recovery says so") {
    CHECK_FALSE(may_enter(ticket_phase::creating, ticket_phase::unresolved));
}
