// SPDX-License-Identifier: BSL-1.0
// Options of run_exclusively.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <vector>

namespace turnstile {

/// What ends `run_exclusively`, and what it does after an error and after a request to yield.
struct exclusive_options {
    /// Not an aggregate: GCC 12 destroys one that is written into a `co_await` expression twice.
    exclusive_options() noexcept {} // NOLINT: see above

    /// Signals that end `run_exclusively` in order, such as `{SIGINT, SIGTERM}`. It then returns
    /// without an error.
    std::vector<int> stop_on{};

    /// Is called with each error after which `run_exclusively` tries again. If it throws,
    /// `run_exclusively` ends with its exception. If it is unset, the first error ends
    /// `run_exclusively`.
    std::function<void(std::exception_ptr)> on_error{};

    /// The pause after an error grows from the shortest to the longest, with jitter. It starts anew
    /// once a coroutine has run for longer than `longest_backoff`.
    std::chrono::milliseconds shortest_backoff{100};
    std::chrono::milliseconds longest_backoff{30'000};

    /// If true, and another asks for the lock (`held_lock::wait_yield`), the coroutine is cancelled
    /// and the lock released. Then the wait begins anew, at the end of the line.
    bool yields = true;
};

} // namespace turnstile
