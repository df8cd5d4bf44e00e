// SPDX-License-Identifier: BSL-1.0
// The clock of lease deadlines.
#pragma once

#include <turnstile/detail/export.hpp>

#include <chrono>

namespace turnstile {

/// CLOCK_BOOTTIME. It does not jump with the wall clock. It goes on while the machine sleeps, since
/// a machine that slept must not believe that its lease still stands.
struct lease_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<lease_clock>;
    static constexpr bool is_steady = true;

    TURNSTILE_API static time_point now() noexcept;
};

} // namespace turnstile
