// SPDX-License-Identifier: BSL-1.0
// The phases of a lock of one node, and from which each is entered.
// (Rules: docs/internals/protocol/single-node.md)
#pragma once

#include "protocol/state_table.hpp"

#include <array>
#include <cstdint>

namespace turnstile::protocol {

enum class single_node_phase : std::uint8_t {
    free,        // the session has no node, and awaits no answer about one
    creating,    // the create was sent
    unresolved,  // an answer was lost or refused: the session will read path and node (O4)
    asking,      // another session has the node: the first acquire reads it
    watching,    // the first acquire waits for the end of another session's node
    confirming,  // the session has the node; the lease is still to be proved
    held,        // the lock is held
    lost,        // the loss was reported; the node stays for the margin, or until the release
    examining,   // path and node are being read, to find out whose node is there
    deleting,    // the deletion was sent
    undeletable, // DELETE is denied: the node stays, and beats try again
};

inline constexpr std::array single_node_phases = [] {
    using enum single_node_phase;
    using entry = state_entry<single_node_phase>;
    return std::array{
        // An answer has shown all. The node is gone, or the session is over: in any phase.
        entry{free,
              {free, creating, unresolved, asking, watching, confirming, held, lost, examining,
               deleting, undeletable}},
        // An acquire waits, the connection is there, and the lock path is known.
        entry{creating, {free}},
        // The connection was lost, or a server has refused to answer.
        entry{unresolved,
              {free, creating, unresolved, confirming, held, lost, examining, deleting}},
        // The create has met another session's node, or the node that was watched has changed.
        entry{asking, {free}},
        // It is still another session's.
        entry{watching, {free}},
        // The create has made the node, or path and node show that it is this acquire's.
        entry{confirming, {free, confirming}},
        // The lease is proved.
        entry{held, {confirming}},
        // The lease has run out, less the margin, or the limit of the hold is over.
        entry{lost, {held}},
        // It is not known whose node is there, or whether it may be deleted.
        entry{examining, {free, unresolved, confirming, held, lost, deleting, undeletable}},
        // The lock is let go, and this connection has shown the node.
        entry{deleting, {free, confirming, held, lost}},
        entry{undeletable, {deleting}},
    };
}();

} // namespace turnstile::protocol
