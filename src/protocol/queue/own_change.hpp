// SPDX-License-Identifier: BSL-1.0
// The changes of a ticket's node that its session begins, and from which state each is entered.
#pragma once

#include "protocol/state_table.hpp"

#include <array>
#include <cstdint>

namespace turnstile::protocol {

/// Answers will show how a change ended.
enum class own_change : std::uint8_t {
    none,
    taking,             // the taker's transaction, which deletes the node, was sent
    downgrade_sent,     // the transaction that makes the writer a reader was sent
    downgrade_heard,    // it was sent, and DELETED of the old name has come: the answer is due (D8)
    downgrade_unknown,  // its outcome is unknown: both names are read on reconnect, or T/8 later
    reading_both_names, // both names are asked for, the old one first
    old_name_is_there,  // the old name was read, and the answer for the new one is awaited
    old_name_unread,    // the old name could not be read, and the answer for the new one is awaited
};

/// (Rules: docs/internals/protocol/shared.md, D4)
inline constexpr std::array own_changes = [] {
    using enum own_change;
    using entry = state_entry<own_change>;
    return std::array{
        // The change ended, or the ticket lost its place.
        entry{none,
              {none, taking, downgrade_sent, downgrade_heard, downgrade_unknown, reading_both_names,
               old_name_is_there, old_name_unread}},
        // A semaphore's ticket is first in line, and there is room.
        entry{taking, {none}},
        // A caller asks for it. Or both names show that it was not carried out.
        entry{downgrade_sent, {none, downgrade_unknown}},
        entry{downgrade_heard, {downgrade_sent}},
        // The connection was lost, or an earlier try may still come. Each reading begins and ends
        // with it.
        entry{downgrade_unknown,
              {downgrade_sent, downgrade_heard, reading_both_names, old_name_is_there,
               old_name_unread}},
        // The connection is there again, T/8 is over, or the answer says that a name is missing.
        entry{reading_both_names, {downgrade_sent, downgrade_heard, downgrade_unknown}},
        entry{old_name_is_there, {reading_both_names}},
        entry{old_name_unread, {reading_both_names}},
    };
}();

} // namespace turnstile::protocol
