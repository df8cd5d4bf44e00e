// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/ticket_phase.hpp"
#include "support/pch.hpp"

#include <set>
#include <utility>
#include <vector>

using namespace turnstile::protocol;

namespace {

constexpr auto phase_count = static_cast<std::size_t>(ticket_phase::lost) + 1;

bool may_take(ticket_phase from, ticket_step step) {
    const auto& row = phase_changes[static_cast<std::size_t>(step)];
    return (row.from & any_of({from})) != 0;
}

// All that a ticket can become from here on.
std::set<ticket_phase> reachable_from(ticket_phase begin) {
    std::set<ticket_phase> found{begin};
    for (std::size_t before = 0; before != found.size();) {
        before = found.size();
        for (const auto from : std::set(found))
            for (const auto& row : phase_changes)
                if (may_take(from, row.step))
                    found.insert(row.to);
    }
    return found;
}

} // namespace

TEST_CASE("a ticket begins unplaced, and can come to each phase") {
    const ticket_progress fresh;
    CHECK(fresh == ticket_phase::unplaced);
    CHECK(reachable_from(fresh).size() == phase_count);
}

TEST_CASE("only a ticket that is confirming is granted, and only a held one is told lost") {
    for (std::size_t i = 0; i < phase_count; ++i) {
        const auto from = static_cast<ticket_phase>(i);
        CHECK(may_take(from, ticket_step::was_granted) == (from == ticket_phase::confirming));
        CHECK(may_take(from, ticket_step::was_told_lost) == (from == ticket_phase::held));
    }
}

TEST_CASE("a lost ticket stays lost, and a held one can only be lost") {
    CHECK(reachable_from(ticket_phase::lost) == std::set{ticket_phase::lost});
    CHECK(reachable_from(ticket_phase::held) == std::set{ticket_phase::held, ticket_phase::lost});
}

TEST_CASE("a ticket whose create is unknown is not created again before recovery says so") {
    for (const auto& row : phase_changes)
        if (row.to == ticket_phase::creating)
            CHECK((row.from & any_of({ticket_phase::unresolved})) == 0);
}

TEST_CASE("a ticket walks to its grant by the steps of the table") {
    ticket_progress phase;
    const std::vector<std::pair<ticket_step, ticket_phase>> way{
        {ticket_step::found_no_room, ticket_phase::waiting_for_budget},
        {ticket_step::may_enter, ticket_phase::unplaced},
        {ticket_step::sent_create, ticket_phase::creating},
        {ticket_step::lost_answer, ticket_phase::unresolved},
        {ticket_step::has_node, ticket_phase::finding_predecessor},
        {ticket_step::met_neighbour, ticket_phase::neighbour},
        {ticket_step::inherited_watch, ticket_phase::waiting},
        {ticket_step::searches, ticket_phase::finding_predecessor},
        {ticket_step::set_watch, ticket_phase::waiting},
        {ticket_step::came_first, ticket_phase::confirming},
        {ticket_step::was_granted, ticket_phase::held},
        {ticket_step::was_told_lost, ticket_phase::lost},
    };
    for (const auto& [step, then] : way) {
        phase.take(step);
        CHECK(phase == then);
    }
}
