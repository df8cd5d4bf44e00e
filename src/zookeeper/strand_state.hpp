// What a session's strand has to run, one function at a time.
#pragma once

#include "zookeeper/after_turn.hpp"
#include "zookeeper/direct_executor.hpp"
#include "zookeeper/strand_queue.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace turnstile::zookeeper {

/// Shared by all copies of a strand. Any thread may call its members.
class strand_state : public std::enable_shared_from_this<strand_state> {
public:
    using plain_executor = boost::asio::any_io_executor;

    explicit strand_state(const plain_executor& plain);

    /// What the strand runs on: the executor that the user gave.
    const plain_executor& plain() const noexcept { return plain_; }
    /// Whether that is an io_context's own. An io_context counts by itself what waits in its
    /// reactor and in its queue.
    bool is_direct() const noexcept { return direct_.has_value(); }
    /// Whether that runs nothing at once.
    bool posts() const noexcept { return posts_; }
    /// Whether a caller of its execute() waits for the function.
    bool makes_wait() const noexcept { return makes_wait_; }
    /// Of the strand: no other one of this process has it. It is not 0.
    std::uint64_t number() const noexcept { return number_; }

    /// Whether this thread is in the strand now: it may run a function at once, and nobody else was
    /// inside. turn_here() has to follow. Inline, as each acquire and release comes by.
    [[gnu::always_inline]] bool enter() noexcept {
        auto idle = state::idle;
        return direct_ && direct_->running_in_this_thread() &&
               state_.compare_exchange_strong(idle, state::entered, std::memory_order_acquire,
                                              std::memory_order_relaxed);
    }
    /// Runs the function in the strand, and leaves. What the function throws goes to whoever runs
    /// the io_context, as from a function in its queue.
    template <class Function>
    void turn_here(Function& function) {
        try {
            turn(function);
        } catch (...) {
            pass_on(std::current_exception());
        }
    }
    /// For a function that cannot wait in the queue, as there is no memory: this thread waits until
    /// nobody else is inside, and runs what came before, then the function. False, at once, where
    /// no function may run in this thread, or where it is in the turn of another strand.
    template <class Function>
    bool turn_after_others(Function& function) {
        const auto before = wait_to_enter();
        if (!before)
            return false;
        auto all = [&] {
            for (auto left = *before; left > 0; --left)
                run_one();
            function();
        };
        turn_here(all);
        return true;
    }
    /// The function runs when it is its turn. A posted one never runs inside of this call. Where
    /// this throws, the function does not run, or it was the function that threw.
    void add(std::unique_ptr<strand_queue::item> next, bool posted);

private:
    enum class state {
        idle,
        entered,  // a thread is inside
        crowded,  // as entered, or a runner is on its way, or a thread sees to what waits
        forsaken, // functions wait, and there was no memory for a runner
    };

    class runner;
    struct leaving {
        strand_state& from;
        after_turn& turn;

        [[gnu::always_inline]] ~leaving() {
            turn.leave();
            auto alone = state::entered;
            if (!from.state_.compare_exchange_strong(alone, state::idle, std::memory_order_release,
                                                     std::memory_order_acquire))
                from.leave();
        }
    };

    template <class Function>
    void turn(Function& function) {
        after_turn after(number_, posting_);
        {
            const leaving at_end{*this, after};
            function();
        }
        after.run();
    }
    void pass_on(std::exception_ptr failure) const;
    bool may_run_here() const noexcept;
    void hand_over(const plain_executor& to);
    bool take_back() noexcept;
    void forget(const strand_queue::item* which) noexcept;
    std::optional<std::size_t> wait_to_enter();
    void run_waiting(std::uint64_t number);
    void run_one() noexcept;
    std::unique_ptr<strand_queue::item> take_first();
    void leave() noexcept;
    bool leave_if_idle() noexcept;
    void let_go(std::uint64_t number) noexcept;

    const plain_executor plain_;
    const plain_executor posting_; // whose execute() is a post
    const std::optional<direct_executor> direct_;
    const bool posts_;
    const bool makes_wait_;
    const std::uint64_t number_;

    std::atomic<state> state_{state::idle}; // that functions wait is said under the lock
    std::mutex mutex_;
    std::condition_variable left_;   // the strand was left, or a runner is on its way
    std::uint64_t runners_ = 0;      // made so far
    std::uint64_t awaited_ = 0;      // the runner that is to run what waits; 0: none
    std::thread::id handing_over_{}; // who hands it over, until that is done or the runner begins
    strand_queue waiting_;
};

} // namespace turnstile::zookeeper
