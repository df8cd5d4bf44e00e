// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace turnstile::chaos {

/// Says how long the faults go on: for `length`, or until an interrupt. run_chaos() owns it, and
/// all lanes of the schedule wait by it. Thread-safe.
class run_clock {
public:
    using clock = std::chrono::steady_clock;

    explicit run_clock(clock::duration length) : begin_{clock::now()}, end_{begin_ + length} {}

    [[nodiscard]] bool over() const noexcept { return interrupted_ || clock::now() >= end_; }
    [[nodiscard]] clock::duration elapsed() const noexcept { return clock::now() - begin_; }

    /// Lets so much time pass, but not more than is left. False if the faults are over now.
    bool wait(clock::duration duration) const {
        const auto until = clock::now() + duration;
        while (!over() && clock::now() < until)
            // justified: the schedule is made of times; a signal handler can wake nobody
            std::this_thread::sleep_until(
                std::min(until, clock::now() + std::chrono::milliseconds{20}));
        return !over();
    }

    /// Ends the faults at once. May be called in a signal handler.
    void interrupt() noexcept { interrupted_ = true; }
    [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }

private:
    clock::time_point begin_;
    clock::time_point end_;
    std::atomic<bool> interrupted_ = false;
    static_assert(std::atomic<bool>::is_always_lock_free);
};

} // namespace turnstile::chaos
