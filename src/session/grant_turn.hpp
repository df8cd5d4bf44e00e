// SPDX-License-Identifier: BSL-1.0
// Whether a lock is dropped by the very handler that it was granted to.
#pragma once

#include <utility>

namespace turnstile::detail {

class lock_state;

/// Lives while a handler is called with a lock. A lock that goes meanwhile, and that the handler
/// has not looked at, was dropped: gcc 12 says nothing of `co_await orders.acquire();`.
class grant_turn {
public:
    explicit grant_turn(const lock_state* granted) noexcept
        : outer_(std::exchange(current_, granted)) {}
    ~grant_turn() { current_ = outer_; }
    grant_turn(const grant_turn&) = delete;
    grant_turn& operator=(const grant_turn&) = delete;

    static void look_at(const lock_state* lock) noexcept {
        if (current_ == lock)
            current_ = nullptr;
    }
    static bool drops(const lock_state* lock) noexcept { return lock && current_ == lock; }

private:
    static inline thread_local const lock_state* current_ = nullptr;

    const lock_state* const outer_;
};

} // namespace turnstile::detail
