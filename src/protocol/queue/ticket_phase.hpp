// SPDX-License-Identifier: BSL-1.0
// The phases of a ticket, and all that moves it from one to the next.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace turnstile::protocol {

enum class ticket_phase : std::uint8_t {
    waiting_for_budget,  // waits in this process until the session's budget has room
    unplaced,            // no create is open; waits for a connection or for the lock path
    creating,            // create sent
    unresolved,          // the create's outcome is unknown
    finding_predecessor, // the node exists; a request tells who stands before it
    neighbour,           // waits for an exclusive ticket of this session: no watch at the server
    waiting,    // a watch on the predecessor is armed, or was before the connection was lost
    confirming, // owner; the lease is still to be proved, or the node to be shown
    held,
    lost, // reported; the node stays for the margin, or until the holder lets go
};

/// What happens to a ticket.
enum class ticket_step : std::uint8_t {
    found_no_room,
    may_enter,
    sent_create,
    lost_answer,
    was_refused,
    has_node,
    searches,
    met_neighbour,
    set_watch,
    inherited_watch,
    came_first,
    was_granted,
    was_told_lost,
    lost_node,
};

struct phase_change {
    ticket_step step;
    std::uint16_t from; // a bit for each phase
    ticket_phase to;
};

constexpr std::uint16_t any_of(std::initializer_list<ticket_phase> phases) {
    std::uint16_t bits = 0;
    for (const auto each : phases)
        bits = static_cast<std::uint16_t>(bits | 1U << static_cast<unsigned>(each));
    return bits;
}

/// All of them, in the order of their steps. An acquire ends in any phase before `held`, and a
/// ticket of `held` or `lost` ends with its release: both are no change of phase.
inline constexpr std::array phase_changes = [] {
    using enum ticket_phase;
    using enum ticket_step;
    return std::array{
        // The budget of the session has no room for one more ticket.
        phase_change{found_no_room, any_of({unplaced}), waiting_for_budget},
        // It has room, or a search for the node of an unknown create found none.
        phase_change{may_enter, any_of({waiting_for_budget, unplaced, unresolved}), unplaced},
        // The connection is there, and the lock path is known.
        phase_change{sent_create, any_of({unplaced}), creating},
        // The connection was lost, or the server said neither yes nor no.
        phase_change{lost_answer, any_of({creating}), unresolved},
        // The server made no node.
        phase_change{was_refused, any_of({creating}), unplaced},
        // The server has made the node, or recovery found it.
        phase_change{has_node, any_of({creating, unresolved}), finding_predecessor},
        // Who stands before it is asked, for the first time or again.
        phase_change{searches, any_of({finding_predecessor, neighbour, waiting, confirming}),
                     finding_predecessor},
        // An exclusive ticket of this session stands before it.
        phase_change{met_neighbour, any_of({finding_predecessor}), neighbour},
        // Another's ticket stands before it, and is watched.
        phase_change{set_watch, any_of({finding_predecessor}), waiting},
        // Its neighbour gave up, and leaves it the watch.
        phase_change{inherited_watch, any_of({neighbour}), waiting},
        // No ticket stands before it any more.
        phase_change{came_first, any_of({finding_predecessor, neighbour, waiting, confirming}),
                     confirming},
        // The lease is proved, and the node was shown on this connection.
        phase_change{was_granted, any_of({confirming}), held},
        // The lease has run out, less the margin, or the limit of the hold is over.
        phase_change{was_told_lost, any_of({held}), lost},
        // An external actor deleted the node, the lock path was made anew, or the session expired.
        phase_change{lost_node,
                     any_of({unplaced, creating, unresolved, finding_predecessor, neighbour,
                             waiting, confirming}),
                     unplaced},
    };
}();

static_assert(
    [] {
        for (std::size_t i = 0; i < phase_changes.size(); ++i)
            if (static_cast<std::size_t>(phase_changes[i].step) != i)
                return false;
        return true;
    }(),
    "a step is its own place in the table");

/// Moves by the table alone.
class ticket_progress {
public:
    constexpr operator ticket_phase() const { return phase_; }

    void take(ticket_step step) {
        const auto& change = phase_changes[static_cast<std::size_t>(step)];
        assert(change.step == step && (change.from & any_of({phase_})) != 0);
        phase_ = change.to;
    }

private:
    ticket_phase phase_ = ticket_phase::unplaced;
};

} // namespace turnstile::protocol
