// SPDX-License-Identifier: BSL-1.0
// Calls one after the other, without a strand.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <queue>
#include <utility>

namespace turnstile::detail {

/// Calls may come from any thread, also from within a call, and each runs after those that came
/// before it, on the thread that is at work already. A strand would do, but refers to an execution
/// context, which a held lock may outlive.
class turns {
public:
    /// Throws what the calls throw; those behind such a one have their turn all the same.
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
    // Empty where none is left, and the next that comes does the work.
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

    std::mutex mutex_; // for the queue alone, never while a call runs
    std::queue<std::function<void()>> waiting_;
    bool at_work_ = false;
};

} // namespace turnstile::detail
