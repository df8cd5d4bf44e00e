// SPDX-License-Identifier: BSL-1.0
// Runs steps that may block on a thread.
#pragma once

#include "zookeeper/session_strand.hpp"
#include "zookeeper/start_thread.hpp"

#include <boost/asio/post.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace turnstile::zookeeper {

/// Runs the steps of one owner, which calls it on its strand. A thread exists only while a step
/// runs, and only one: a step that comes meanwhile waits until that one is over. The thread owns
/// all that it touches, and no other thread waits for it. `Result` has a member `wrong`: why there
/// is no result.
template <class Result>
class step_worker : public std::enable_shared_from_this<step_worker<Result>> {
public:
    using work = std::function<Result()>;
    using handler = std::function<void(Result)>;

    /// `done` runs on the strand. The step takes the place of one that waits, if one does.
    void start(const session_strand& on, work step, handler done) {
        {
            const std::lock_guard guard(mutex_);
            next_ = std::move(step);
            listener_.emplace(listener{on, std::move(done)});
            if (std::exchange(running_, true))
                return;
        }
        try {
            start_thread([self = this->shared_from_this()] { self->run(); }).detach();
        } catch (const std::exception& refused) {
            const std::lock_guard guard(mutex_);
            running_ = false;
            next_ = nullptr;
            tell(failed(std::string("no thread can be started: ") + refused.what()));
        }
    }
    /// For a step that does not block: runs it, and `done`, within this call.
    static void run_here(const work& step, const handler& done) { done(result_of(step)); }
    /// Nothing touches the strand after this.
    void forget() noexcept {
        const std::lock_guard guard(mutex_);
        listener_.reset();
        next_ = nullptr;
    }
    /// A step is under way, or waits for its turn.
    bool is_awaited() const {
        const std::lock_guard guard(mutex_);
        return listener_.has_value();
    }

private:
    struct listener {
        session_strand on;
        handler done;
    };

    static Result failed(const std::string& why) {
        Result result;
        result.wrong = why;
        return result;
    }

    static Result result_of(const work& step) {
        try {
            return step();
        } catch (const std::exception& thrown) { // such as: there is no memory
            return failed(thrown.what());
        }
    }

    void run() noexcept {
        std::unique_lock guard(mutex_);
        while (next_) {
            auto step = std::exchange(next_, nullptr);
            guard.unlock();
            auto result = result_of(step);
            step = nullptr; // destroys what it owns here, if its attempt is over
            guard.lock();
            if (!next_) // otherwise this attempt is over, and a step of the next one waits
                tell(std::move(result));
        }
        running_ = false;
    }

    // The mutex is held until the strand has the handler: when forget() returns, the context may
    // end.
    void tell(Result result) noexcept {
        const auto last = std::exchange(listener_, std::nullopt);
        if (!last)
            return;
        try {
            boost::asio::post(last->on, [done = last->done, result = std::move(result)]() mutable {
                done(std::move(result));
            });
        } catch (...) { // there is no memory: the attempt ends by its limit
        }
    }

    mutable std::mutex mutex_;
    bool running_ = false;
    work next_;
    std::optional<listener> listener_;
};

} // namespace turnstile::zookeeper
