// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/ticket_phase.hpp"
#include "support/pch.hpp"

#include <cstddef>

using namespace turnstile::protocol;

namespace {

constexpr auto phase_count = static_cast<std::size_t>(ticket_phase::lost) + 1;

bool may_take(ticket_phase from, ticket_step step) {
    const auto& row = phase_changes[static_cast<std::size_t>(step)];
    return (row.from & any_of({from})) != 0;
}

} // namespace

TEST_CASE("only a ticket that is confirming is granted, and only a held one is told lost") {
    for (std::size_t i = 0; i < phase_count; ++i) {
        const auto from = static_cast<ticket_phase>(i);
        CHECK(may_take(from, ticket_step::was_granted) == (from == ticket_phase::confirming));
        CHECK(may_take(from, ticket_step::was_told_lost) == (from == ticket_phase::held));
    }
}

TEST_CASE("a ticket whose create is unknown is not created again before recovery says so") {
    for (const auto& row : phase_changes)
        if (row.to == ticket_phase::creating)
            CHECK((row.from & any_of({ticket_phase::unresolved})) == 0);
}
