// SPDX-License-Identifier: BSL-1.0
// The phases of a ticket, and from which each is entered.
#pragma once

#include "protocol/state_table.hpp"

#include <array>
#include <cstdint>

namespace turnstile::protocol {

enum class ticket_phase : std::uint8_t {
    unplaced,            // no create is open; waits for a connection or for the lock path
    waiting_for_budget,  // waits in this process until the session's budget has room
    creating,            // create sent
    unresolved,          // the create's outcome is unknown
    finding_predecessor, // the node exists; a request asks who stands before it
    neighbour,           // waits for an exclusive ticket of this session: no watch at the server
    waiting,    // a watch on the predecessor is armed, or was before the connection was lost
    confirming, // owner; the lease is still to be proved, or the node to be shown
    held,
    lost, // reported; the node stays for the margin, or until the holder lets go
};

/// An acquire ends in any phase before `held`, and a ticket of `held` or `lost` ends with its
/// release: both are no change of phase.
inline constexpr std::array ticket_phases = [] {
    using enum ticket_phase;
    using entry = state_entry<ticket_phase>;
    return std::array{
        // The budget has room. The server made no node, or the search for that of an unknown create
        // found none. Another program deleted the node, the lock path was made anew, or the
        // session expired.
        entry{unplaced,
              {unplaced, waiting_for_budget, creating, unresolved, finding_predecessor, neighbour,
               waiting, confirming}},
        // The budget of the session has no room for one more ticket.
        entry{waiting_for_budget, {unplaced}},
        // The connection is there, and the lock path is known.
        entry{creating, {unplaced}},
        // The connection was lost, or the server said neither yes nor no.
        entry{unresolved, {creating}},
        // The server has made the node, or recovery found it. Later: who stands before it is asked
        // again.
        entry{finding_predecessor,
              {creating, unresolved, finding_predecessor, neighbour, waiting, confirming}},
        // An exclusive ticket of this session stands before it.
        entry{neighbour, {finding_predecessor}},
        // Another's ticket stands before it, and is watched. Or its neighbour gave up, and leaves
        // it the watch.
        entry{waiting, {finding_predecessor, neighbour}},
        // No ticket stands before it any more.
        entry{confirming, {finding_predecessor, neighbour, waiting, confirming}},
        // The lease is proved, and the node was shown on this connection.
        entry{held, {confirming}},
        // The lease has run out, less the margin, or the limit of the hold is over.
        entry{lost, {held}},
    };
}();

} // namespace turnstile::protocol
