// SPDX-License-Identifier: BSL-1.0
// The process that something was made in. A fork's child shares sockets and reactors with its
// parent, and may touch neither.
#pragma once

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <unistd.h>

namespace turnstile::zookeeper {

/// Remembers the process that made it. is_here() is false in a forked child.
class fork_guard {
public:
    fork_guard() noexcept : process_(this_process()) {}

    bool is_here() const noexcept { return process_ == this_process(); }

private:
    // Asked for several times per request, so counted rather than asked of the kernel.
    static std::uint64_t this_process() noexcept {
        static constinit std::atomic<std::uint64_t> forks{0};
        static const bool counted =
            ::pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); }) == 0;
        return counted ? forks.load(std::memory_order_relaxed)
                       : static_cast<std::uint64_t>(::getpid()); // pthread_atfork had no memory
    }

    std::uint64_t process_;
};

} // namespace turnstile::zookeeper
