// SPDX-License-Identifier: BSL-1.0
// What happened to the acquires of a run, in the order of time.
#pragma once

#include "rules.hpp"

#include "promises/event.hpp"

#include <cstdint>
#include <vector>

namespace turnstile::check {

/// Something that happened to an acquire. `rank` orders the moments of one instant.
struct moment {
    enum rank : std::uint8_t {
        excuse,      ///< an excuse begins
        end,         ///< a belief ends
        begin,       ///< a belief begins, or another event
        excuse_over, ///< an excuse ends
        at_last      ///< a belief ends that began in this instant; also answers and deaths
    };

    instant when;
    std::uint32_t who; ///< index of the acquire
    promises::happening what;
    rank order;
    const hold_change* change = nullptr; ///< an upgrade or a downgrade
    bool writes = false;                 ///< it is a writer after the change
};

/// Returns all moments of a run, sorted. A belief ends with the release or the loss, or with the
/// worker.
[[nodiscard]] std::vector<moment> timeline_of(const evidence& given);

} // namespace turnstile::check
