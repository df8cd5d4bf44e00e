// SPDX-License-Identifier: BSL-1.0
// The lease clock in a test's hand.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/lease_clock.hpp>

namespace turnstile::detail {

/// For the test kit. While it lives, `lease_clock::now()` tells what it was set to last, in the
/// whole process.
class TURNSTILE_API stopped_clock {
public:
    /// Stops at the present. Throws std::logic_error where the clock was stopped before.
    stopped_clock();
    ~stopped_clock();
    stopped_clock(const stopped_clock&) = delete;
    stopped_clock& operator=(const stopped_clock&) = delete;

    void set(lease_clock::time_point now) noexcept;
};

} // namespace turnstile::detail
