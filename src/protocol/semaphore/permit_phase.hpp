// SPDX-License-Identifier: BSL-1.0
// The phases of an acquire of permits, and from which each is entered.
#pragma once

#include "protocol/state_table.hpp"

#include <array>
#include <cstdint>

namespace turnstile::protocol {

enum class permit_phase : std::uint8_t {
    starting,   // waits for the limit, or for acquires of this session before it
    trying,     // the transaction that takes free permits was sent
    in_line,    // its ticket is to stand in the queue
    first,      // no ticket stands before its own
    taking,     // the transaction that takes permits with the end of its ticket was sent
    unresolved, // and its answer was lost
    confirming, // the permits are there; the session's lease is still to be proved
};

/// An acquire can end in each of them. It is granted in `confirming`.
inline constexpr std::array permit_phases = [] {
    using enum permit_phase;
    using entry = state_entry<permit_phase>;
    return std::array{
        // The try was refused, the queue was made anew, the permits are gone, or the session is.
        entry{starting, {starting, trying, in_line, first, taking, unresolved, confirming}},
        // The limit is known, and nothing of this session stands in the queue.
        entry{trying, {starting}},
        // Too few were free. Later: its place, or the connection, was lost.
        entry{in_line, {starting, in_line, first, taking, unresolved}},
        // The queue says so, or the server refused the transaction.
        entry{first, {in_line, first, taking, unresolved}},
        // It has counted, and enough are free.
        entry{taking, {first}},
        entry{unresolved, {taking}},
        // A transaction made them, or a sweep found them.
        entry{confirming, {trying, in_line, first, taking, unresolved, confirming}},
    };
}();

} // namespace turnstile::protocol
