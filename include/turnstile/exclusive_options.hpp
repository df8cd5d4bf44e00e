// SPDX-License-Identifier: BSL-1.0
// Options of run_exclusively.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <vector>

namespace turnstile {

struct exclusive_options {
    /// Not an aggregate: GCC 12 destroys one that is written into a `co_await` expression twice.
    exclusive_options() noexcept {} // NOLINT: see above

    /// Signals that end it in order, such as `{SIGINT, SIGTERM}`. It then returns without an error.
    std::vector<int> stop_on{};

    /// Is told each error after which it tries again. Unset, the first one ends it. So does what
    /// this throws.
    std::function<void(std::exception_ptr)> on_error{};

    /// Pauses after errors grow from the first to the second, with jitter. They start anew after
    /// the coroutine has run for longer than the second.
    std::chrono::milliseconds shortest_backoff{100};
    std::chrono::milliseconds longest_backoff{30'000};

    /// When another asks for the lock (`held_lock::wait_yield`), the coroutine is cancelled, the
    /// lock released, and the wait begins anew, at the end of the line.
    bool yields = true;
};

} // namespace turnstile
