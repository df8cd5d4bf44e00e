// SPDX-License-Identifier: BSL-1.0
// What happened to the acquires of a run, in the order of time.
#pragma once

#include "rules.hpp"

#include "promises/event.hpp"

#include <cstdint>
#include <vector>

namespace turnstile::check {

/// Something that happened to an acquire. Of what happens in one instant, excuses begin first, then
/// beliefs end, others begin, excuses end, and last is what ends in the instant in which it began.
struct moment {
    enum rank : std::uint8_t { excuse, end, begin, excuse_over, at_last };

    instant when;
    std::uint32_t who; ///< index of the acquire
    promises::happening what;
    rank order;
    const hold_change* change = nullptr; ///< of one that takes more or less from here on
    bool writes = false;                 ///< then: more
};

/// Whoever counts on a lock does so until it is released or lost, or until its worker ends.
[[nodiscard]] std::vector<moment> timeline_of(const evidence& e);

} // namespace turnstile::check
