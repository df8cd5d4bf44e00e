// SPDX-License-Identifier: BSL-1.0
// That a loss is told, in time, after a warning, and not for nothing.
#pragma once

#include "findings.hpp"

#include <chrono>
#include <string>

namespace turnstile::promises {

/// `excused`: while it was held, something happened that is not its fault.
inline void check_loss(acquire_id who, const loss& its, instant told, bool excused, findings& out) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(told).count();
    const auto when = " at " + std::to_string(ms) + " ms";
    if (told > its.tell_by)
        out.add(promise::lost_in_time, who, "was told of its loss too late" + when);
    if (!its.warned)
        out.add(promise::lost_in_time, who, "lost without a warning" + when);
    if (its.avoidable && !excused)
        out.add(promise::lost_in_time, who, "lost for nothing" + when);
}

} // namespace turnstile::promises
