// SPDX-License-Identifier: BSL-1.0
// Counters of what sessions and locks do, for any thread.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/usage.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>

namespace turnstile::detail {

/// Counts a duration in its bucket. One below zero counts as zero.
void count(duration_histogram& histogram, std::chrono::nanoseconds length);

/// Counts in a struct of plain numbers, such as lock_usage. All members may be called on any
/// thread.
template <class Usage>
class meter {
public:
    void add(std::uint64_t Usage::*what, std::uint64_t more = 1) {
        const std::lock_guard guard(mutex_);
        counts_.*what += more;
    }
    void add(duration_histogram Usage::*histogram, std::chrono::nanoseconds length) {
        const std::lock_guard guard(mutex_);
        count(counts_.*histogram, length);
    }
    /// All numbers are of one instant: no end is counted in them without its begin.
    Usage read() const {
        const std::lock_guard guard(mutex_);
        return counts_;
    }

private:
    mutable std::mutex mutex_;
    Usage counts_{};
};

using usage_meter = meter<lock_usage>;

/// The counter for an acquire that ended with this code.
std::uint64_t lock_usage::*counter_of(const error_code& result);

} // namespace turnstile::detail
