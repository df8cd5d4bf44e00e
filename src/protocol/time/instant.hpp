// SPDX-License-Identifier: BSL-1.0
// The protocol's own timeline. It never reads a clock: instants are handed in.
#pragma once

#include <chrono>

namespace turnstile::protocol {

/// Tags instants of the lease clock (CLOCK_BOOTTIME in production, virtual time in simulation).
struct timeline {
    using rep = std::chrono::nanoseconds::rep;
    using period = std::chrono::nanoseconds::period;
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<timeline, std::chrono::nanoseconds>;
    static constexpr bool is_steady = true;
};

using duration = std::chrono::nanoseconds;
using instant = timeline::time_point;

} // namespace turnstile::protocol
