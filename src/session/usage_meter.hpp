// SPDX-License-Identifier: BSL-1.0
// Counters of what locks do, for any thread.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/usage.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace turnstile::detail {

class usage_count {
public:
    void add(std::uint64_t more = 1) { value_.fetch_add(more, std::memory_order_release); }
    std::uint64_t read() const { return value_.load(std::memory_order_acquire); }

private:
    std::atomic<std::uint64_t> value_{0};
};

class histogram_meter {
public:
    /// A duration and its bucket, which is found once for all meters that count it.
    struct entry {
        explicit entry(std::chrono::nanoseconds length);

        std::chrono::nanoseconds length;
        std::size_t bucket = 0;
    };

    void add(const entry& one) {
        counts_[one.bucket].add();
        sum_.add(static_cast<std::uint64_t>(one.length.count()));
    }
    duration_histogram read() const;

private:
    std::array<usage_count, duration_histogram::limits.size() + 1> counts_;
    usage_count sum_; // in nanoseconds
};

struct usage_meter {
    usage_count acquires;
    usage_count granted;
    usage_count would_block;
    usage_count timed_out;
    usage_count cancelled;
    usage_count failed;
    usage_count released;
    usage_count lost;
    usage_count closed;
    histogram_meter wait;
    histogram_meter hold;

    lock_usage read() const;
};

struct session_meter {
    usage_count connections;
    usage_count connections_lost;
    usage_count failed_attempts;
    usage_count sessions;
    usage_count risks;
    usage_count missed_events;
    usage_count stalls;
    usage_meter locks;

    session_usage read() const;
};

/// The counter for an acquire that ended with this code.
usage_count usage_meter::*counter_of(const error_code& result);

} // namespace turnstile::detail
