// SPDX-License-Identifier: BSL-1.0
// Threads for calls that may block.
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace turnstile::zookeeper {

/// Runs `work`, which must not throw, on a thread of its own. Throws `std::system_error` if no
/// thread can be started.
template <class Work>
std::thread start_thread(Work work) {
    /// Signals are for the program's own threads. A new thread has the mask of the one that starts
    /// it, so none of them can come to the new one before it has blocked them.
    struct blocked_signals {
        blocked_signals() {
            sigset_t all;
            ::sigfillset(&all);
            ::pthread_sigmask(SIG_BLOCK, &all, &before);
        }
        ~blocked_signals() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
        blocked_signals(const blocked_signals&) = delete;
        blocked_signals& operator=(const blocked_signals&) = delete;

        sigset_t before{};
    };
    const blocked_signals until_started;
    return std::thread([work = std::move(work)]() mutable noexcept { work(); });
}

} // namespace turnstile::zookeeper
