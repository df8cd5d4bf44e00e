// SPDX-License-Identifier: BSL-1.0
// How long an event loop was kept busy in one piece.
#pragma once

#include "support/pch.hpp"
#include <turnstile/error.hpp>

#include <time.h>

namespace turnstile::test {

/// A timer of a millisecond, which comes late if the thread has other things to do. Its lateness
/// counts other threads as well, where there are more of them than processors; the thread's own
/// work between two turns of the timer does not.
class stall_watch {
public:
    explicit stall_watch(boost::asio::io_context& context) : timer_(context) { wait(); }

    struct longest {
        std::chrono::nanoseconds late{};
        std::chrono::nanoseconds work{};
    };
    /// The longest ones since this was asked for last.
    longest take_longest() { return std::exchange(longest_, {}); }

private:
    static std::chrono::nanoseconds work_of_thread() {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
    }
    void wait() {
        timer_.expires_after(std::chrono::milliseconds(1));
        timer_.async_wait([this](const error_code& failed) {
            if (failed)
                return;
            const auto work = work_of_thread();
            longest_.late = std::max<std::chrono::nanoseconds>(
                longest_.late, std::chrono::steady_clock::now() - timer_.expiry());
            longest_.work = std::max(longest_.work, work - std::exchange(worked_, work));
            wait();
        });
    }

    boost::asio::steady_timer timer_;
    longest longest_{};
    std::chrono::nanoseconds worked_ = work_of_thread();
};

} // namespace turnstile::test
