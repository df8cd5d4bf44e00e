// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/fork_guard.hpp"

#include <atomic>
#include <pthread.h>
#include <unistd.h>

namespace turnstile::zookeeper {

namespace {

constinit std::atomic<std::uint64_t> forks{0};

bool count_forks() noexcept {
    return ::pthread_atfork(nullptr, nullptr,
                            [] { forks.fetch_add(1, std::memory_order_relaxed); }) == 0;
}

} // namespace

std::uint64_t fork_guard::this_process() noexcept {
    // Asked for several times per request, so counted rather than asked of the kernel.
    static const bool counted = count_forks();
    return counted ? forks.load(std::memory_order_relaxed)
                   : static_cast<std::uint64_t>(::getpid()); // there was no memory
}

} // namespace turnstile::zookeeper
