// SPDX-License-Identifier: BSL-1.0
// What a session and its locks have done so far, as plain numbers.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace turnstile {

/// How many durations there were of each length.
struct duration_histogram {
    using microseconds = std::chrono::microseconds;

    /// The longest duration of the bucket with the same index. One more bucket has longer ones.
    static constexpr std::array<microseconds, 19> limits{
        microseconds{100},        microseconds{250},        microseconds{500},
        microseconds{1'000},      microseconds{2'500},      microseconds{5'000},
        microseconds{10'000},     microseconds{25'000},     microseconds{50'000},
        microseconds{100'000},    microseconds{250'000},    microseconds{500'000},
        microseconds{1'000'000},  microseconds{2'500'000},  microseconds{5'000'000},
        microseconds{10'000'000}, microseconds{30'000'000}, microseconds{60'000'000},
        microseconds{300'000'000}};

    std::array<std::uint64_t, limits.size() + 1> counts{}; ///< each duration is in one bucket
    std::chrono::nanoseconds sum{};

    std::uint64_t count() const {
        std::uint64_t all = 0;
        for (const auto each : counts)
            all += each;
        return all;
    }
};

/// Counts of one lock object, or of all lock objects of a session together. Acquires that were
/// refused without any I/O (a bad path, an option) are not counted.
struct lock_usage {
    std::uint64_t acquires = 0;    ///< started
    std::uint64_t granted = 0;     ///< acquires that ended with the lock
    std::uint64_t would_block = 0; ///< try_acquires that found others
    std::uint64_t timed_out = 0;   ///< with `error::timeout`
    std::uint64_t cancelled = 0;   ///< with `operation_aborted`; or a part that was taken back
    std::uint64_t failed = 0;      ///< with any other error
    std::uint64_t released = 0;    ///< locks that were let go before they were lost
    std::uint64_t lost = 0;        ///< for any reason but the next one
    std::uint64_t closed = 0;      ///< locks that ended because the program closed the session

    duration_histogram wait; ///< from the call of an acquire to its grant
    duration_histogram hold; ///< from a grant to the release or the loss

    std::uint64_t waiting() const {
        return acquires - granted - would_block - timed_out - cancelled - failed;
    }
    std::uint64_t held() const { return granted - released - lost - closed; }
};

/// Counts of one session object.
struct session_usage {
    std::uint64_t connections = 0;      ///< connections on which a server has answered
    std::uint64_t connections_lost = 0; ///< those of them that were lost
    std::uint64_t failed_attempts = 0;  ///< attempts to connect that failed
    std::uint64_t sessions = 0;         ///< ZooKeeper sessions that were made
    std::uint64_t risks = 0;            ///< times that held locks came to be at risk
    std::uint64_t missed_events = 0;    ///< ends of predecessors that came without a watch event
    /// Times that the program kept the session's thread for an eighth of the session timeout.
    std::uint64_t stalls = 0;

    lock_usage locks; ///< of all lock objects, those that are gone included
};

} // namespace turnstile
