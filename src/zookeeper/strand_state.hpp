// What a session's strand has to run, one function at a time.
#pragma once

#include "zookeeper/after_turn.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace turnstile::zookeeper {

/// Shared by all copies of a strand. Any thread may call its members.
class strand_state : public std::enable_shared_from_this<strand_state> {
public:
    using plain_executor = boost::asio::any_io_executor;

    /// A function that waits.
    class queued {
    public:
        queued() = default;
        queued(const queued&) = delete;
        queued& operator=(const queued&) = delete;
        virtual ~queued() = default;
        virtual void run() = 0;
    };

    explicit strand_state(const plain_executor& plain);

    /// What the strand runs on: the executor that the user gave.
    const plain_executor& plain() const noexcept { return plain_; }
    /// An io_context's own, which counts what waits in its reactor and its queue by itself.
    bool is_direct() const noexcept { return direct_.has_value(); }
    /// The plain executor runs nothing at once.
    bool posts() const noexcept { return posts_; }
    /// Who hands it a function waits until the function has run.
    bool makes_wait() const noexcept { return makes_wait_; }
    /// Of the strand: no other one of this process has it. It is not 0.
    std::uint64_t number() const noexcept { return number_; }

    /// True where this thread may run a function at once. It is in the strand then: a turn follows.
    bool enter() noexcept {
        auto idle = state::idle;
        return direct_ && direct_->running_in_this_thread() &&
               state_.compare_exchange_strong(idle, state::entered, std::memory_order_acquire,
                                              std::memory_order_relaxed);
    }
    /// Runs it in the strand, and leaves. Passes on what the function throws.
    template <class Function>
    void turn(Function& function) {
        after_turn after(number_, posting_);
        {
            const leaving at_end{*this};
            function();
        }
        after.run();
    }
    /// To be run in its turn, and where it is posted, never at once. Not at all where this throws.
    void add(std::unique_ptr<queued> next, bool posted);

private:
    enum class state {
        idle,
        entered,  // a thread is inside
        crowded,  // the same, or a runner is on its way, and functions may wait
        forsaken, // functions wait, for whose runner there was no memory
    };

    struct leaving {
        strand_state& from;

        ~leaving() {
            auto alone = state::entered;
            if (!from.state_.compare_exchange_strong(alone, state::idle, std::memory_order_release,
                                                     std::memory_order_acquire))
                from.leave();
        }
    };

    class runner;

    void hand_over(const plain_executor& to);
    /// Whether this thread has handed over a runner that has not begun.
    bool take_back() noexcept;
    void run_waiting();
    std::unique_ptr<queued> take_first();
    void let_go() noexcept;
    void leave() noexcept;
    bool leave_if_idle() noexcept;

    const plain_executor plain_;
    const plain_executor posting_; // whose execute() is a post
    const std::optional<boost::asio::io_context::executor_type> direct_;
    const bool posts_;
    const bool makes_wait_;
    const std::uint64_t number_;

    std::atomic<state> state_{state::idle}; // that functions wait is said under the lock
    std::mutex mutex_;
    std::thread::id handing_over_{}; // a runner, until it begins or is in the executor's hands
    std::deque<std::unique_ptr<queued>> waiting_;
};

} // namespace turnstile::zookeeper
