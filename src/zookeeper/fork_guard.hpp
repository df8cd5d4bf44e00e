// SPDX-License-Identifier: BSL-1.0
// Tells a forked child from the process that made an object. The child shares sockets and reactors
// with its parent, and may touch neither.
#pragma once

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <unistd.h>

namespace turnstile::zookeeper {

/// Remembers the process that made it. It is a member of objects that only their process may use.
class fork_guard {
public:
    fork_guard() noexcept : process_(this_process()) {}

    /// False in a forked child.
    bool is_here() const noexcept { return process_ == this_process(); }

private:
    // How many forks lie between the first process that asked and this one. A count is quicker than
    // a call of the kernel, and this is asked several times per request.
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
