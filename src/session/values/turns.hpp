// SPDX-License-Identifier: BSL-1.0
// Runs calls one after the other, without a strand.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <queue>
#include <utility>

namespace turnstile::detail {

/// Runs calls in their order, one at a time. They may come from any thread, also from within a
/// call. If a thread is running calls already, it also runs the new one, and take() does not wait
/// for that. A strand would do the same, but it refers to an execution context, which a held lock
/// may outlive.
class turns {
public:
    /// Runs the call now or in its turn. Throws the last exception of the calls that it ran, once
    /// all of them have run.
    void take(std::function<void()> call) {
        {
            const std::lock_guard guard(mutex_);
            waiting_.push(std::move(call));
            if (std::exchange(at_work_, true))
                return;
        }
        std::exception_ptr thrown;
        while (const auto next = take_next()) {
            try {
                next();
            } catch (...) {
                thrown = std::current_exception();
            }
        }
        if (thrown)
            std::rethrow_exception(thrown);
    }

private:
    // Empty if no call is left: then the next take() runs calls again.
    std::function<void()> take_next() {
        const std::lock_guard guard(mutex_);
        if (waiting_.empty()) {
            at_work_ = false;
            return {};
        }
        auto next = std::move(waiting_.front());
        waiting_.pop();
        return next;
    }

    std::mutex mutex_; // guards the members below; not held while a call runs
    std::queue<std::function<void()>> waiting_;
    bool at_work_ = false; // a thread is running calls
};

} // namespace turnstile::detail
