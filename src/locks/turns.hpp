// SPDX-License-Identifier: BSL-1.0
// Calls one after the other, without a strand.
#pragma once

#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

namespace turnstile::detail {

/// Calls may come from any thread, also from within a call, and each runs after those that came
/// before it, on the thread that is at work already. A strand would do, but refers to an execution
/// context, which whoever holds a lock may outlive.
class turns {
public:
    /// One call, or none once it was taken.
    using prepared = std::list<std::function<void()>>;

    /// Now, so that there is a turn for it even when there is no memory.
    static prepared prepare(std::function<void()> call) {
        prepared one;
        one.push_back(std::move(call));
        return one;
    }

    void take(std::function<void()> call) {
        auto one = prepare(std::move(call));
        take(one);
    }
    /// Throws nothing but what the calls throw.
    void take(prepared& call) {
        {
            const std::lock_guard guard(mutex_);
            waiting_.splice(waiting_.end(), call);
            if (std::exchange(at_work_, true))
                return;
        }
        std::exception_ptr thrown;
        for (;;) {
            const auto next = take_next();
            if (next.empty())
                break;
            try {
                next.front()();
            } catch (...) { // those behind it have their turn all the same
                thrown = std::current_exception();
            }
        }
        if (thrown)
            std::rethrow_exception(thrown);
    }

private:
    prepared take_next() {
        const std::lock_guard guard(mutex_);
        prepared next;
        if (waiting_.empty())
            at_work_ = false;
        else
            next.splice(next.end(), waiting_, waiting_.begin());
        return next;
    }

    std::mutex mutex_; // for the list alone, never while a call runs
    prepared waiting_;
    bool at_work_ = false;
};

} // namespace turnstile::detail
