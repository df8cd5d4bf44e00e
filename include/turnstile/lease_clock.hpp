// The clock of lease deadlines.
#pragma once

#include <chrono>

namespace turnstile {

/// CLOCK_BOOTTIME: does not jump with the wall clock, and counts through suspend, because a machine
/// that slept must not think that its lease stands.
struct lease_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<lease_clock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
};

} // namespace turnstile
