// SPDX-License-Identifier: BSL-1.0
// Lets a test set the lease clock.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/lease_clock.hpp>

namespace turnstile::detail {

/// Stops the lease clock of the whole process for as long as it lives: `lease_clock::now()` then
/// returns the instant that was set last. The test kit's `ground` has one.
class TURNSTILE_API stopped_clock {
public:
    /// Stops the clock at the present. Throws std::logic_error if it is stopped already.
    stopped_clock();
    ~stopped_clock();
    stopped_clock(const stopped_clock&) = delete;
    stopped_clock& operator=(const stopped_clock&) = delete;

    void set(lease_clock::time_point now) noexcept;
};

} // namespace turnstile::detail
