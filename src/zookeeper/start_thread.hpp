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
    return std::thread([work = std::move(work)]() mutable noexcept {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, nullptr); // signals are for the program's own threads
        work();
    });
}

} // namespace turnstile::zookeeper
