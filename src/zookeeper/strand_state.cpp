#include "zookeeper/strand_state.hpp"

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <utility>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

namespace {

std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

bool blocks(const asio::any_io_executor& plain, const asio::execution::blocking_t& how) {
    return asio::query(plain, asio::execution::blocking) == how;
}

} // namespace

strand_state::strand_state(const plain_executor& plain)
    : plain_(plain),
      posting_(asio::require(plain, asio::execution::blocking.never)),
      direct_(direct_executor_of(plain)),
      posts_(blocks(plain, asio::execution::blocking.never)),
      makes_wait_(blocks(plain, asio::execution::blocking.always)),
      number_(next_number()) {}

/// Runs what waits. A context that ends destroys its queue, and a runner with it. What waits goes
/// then, since it may own the strand.
class strand_state::runner {
public:
    runner(std::shared_ptr<strand_state> of, std::uint64_t number) noexcept
        : of_(std::move(of)), number_(number) {}
    runner(runner&&) noexcept = default;
    runner& operator=(runner&&) = delete;
    ~runner() {
        if (of_)
            of_->let_go(number_);
    }

    void operator()() { std::exchange(of_, nullptr)->run_waiting(number_); }

private:
    std::shared_ptr<strand_state> of_;
    std::uint64_t number_;
};

void strand_state::pass_on(std::exception_ptr failure) const {
    direct_->execute([failure = std::move(failure)] { std::rethrow_exception(failure); });
}

void strand_state::let_go(std::uint64_t number) noexcept {
    strand_queue going; // destroyed when the lock is free again
    const std::lock_guard alone(mutex_);
    if (number != awaited_ || handing_over_ == std::this_thread::get_id())
        return; // others have run what waited; or hand_over() throws, for want of memory
    going.swap(waiting_);
}

void strand_state::hand_over(const plain_executor& to) {
    std::uint64_t number = 0;
    {
        const std::lock_guard alone(mutex_);
        handing_over_ = std::this_thread::get_id();
        number = awaited_ = ++runners_;
    }
    to.execute(runner(shared_from_this(), number));
    {
        const std::lock_guard alone(mutex_);
        if (awaited_ != number)
            return;
        handing_over_ = {};
    }
    left_.notify_all();
}

// Whether the runner that this thread was handing over has not begun. Then it never will.
bool strand_state::take_back() noexcept {
    const std::lock_guard alone(mutex_);
    if (handing_over_ != std::this_thread::get_id())
        return false;
    handing_over_ = {};
    awaited_ = 0;
    return true;
}

// Not within the turn of another strand: two threads could wait for each other's.
bool strand_state::may_run_here() const noexcept {
    return direct_ && direct_->running_in_this_thread() && !after_turn::is_within_any();
}

void strand_state::add(std::unique_ptr<strand_queue::item> next, bool posted) {
    const auto* const added = next.get();
    {
        const std::lock_guard alone(mutex_);
        waiting_.push(std::move(next));
        const auto before = state_.exchange(state::crowded);
        if (before == state::entered || before == state::crowded)
            return;
    }
    try {
        return hand_over(posted ? posting_ : plain_);
    } catch (...) {
        if (!take_back())
            throw;
        if (posted || !may_run_here()) {
            forget(added);
            throw;
        }
    }
    auto first = [this] { run_one(); };
    turn_here(first);
}

// How many functions wait, now that this thread is inside.
std::optional<std::size_t> strand_state::wait_to_enter() {
    if (!may_run_here())
        return std::nullopt;
    std::unique_lock alone(mutex_);
    for (;;) {
        const auto before = state_.exchange(state::crowded);
        if (before == state::idle || before == state::forsaken)
            break;
        if (awaited_ != 0 && handing_over_ == std::thread::id()) {
            awaited_ = 0; // that runner will find nothing to do
            break;
        }
        left_.wait(alone);
    }
    return waiting_.size();
}

// There was no memory for a runner. Others may have relied on it meanwhile: they get another one,
// at the latest with the next function.
void strand_state::forget(const strand_queue::item* which) noexcept {
    std::unique_ptr<strand_queue::item> gone; // destroyed last: it may come back here
    {
        const std::lock_guard alone(mutex_);
        gone = waiting_.remove(which);
    }
    if (leave_if_idle())
        return;
    try {
        hand_over(posting_);
    } catch (...) {
        if (take_back()) {
            {
                const std::lock_guard alone(mutex_);
                state_ = state::forsaken;
            }
            left_.notify_all();
        }
    }
}

// What comes meanwhile awaits the next runner, for the context has other work too.
void strand_state::run_waiting(std::uint64_t number) {
    std::unique_lock alone(mutex_);
    if (number != awaited_)
        return;
    handing_over_ = {};
    awaited_ = 0;
    auto count = waiting_.size();
    alone.unlock();
    auto these = [&] {
        for (; count > 0; --count)
            take_first()->run();
    };
    turn(these);
}

// Within a turn. What the function throws keeps the others from nothing.
void strand_state::run_one() noexcept {
    try {
        take_first()->run();
    } catch (...) { // elsewhere nobody can be told; its session has seen to its own end
        if (direct_ && direct_->running_in_this_thread())
            pass_on(std::current_exception());
    }
}

std::unique_ptr<strand_queue::item> strand_state::take_first() {
    const std::lock_guard alone(mutex_);
    return waiting_.pop();
}

bool strand_state::leave_if_idle() noexcept {
    {
        const std::lock_guard alone(mutex_);
        if (!waiting_.empty())
            return false;
        state_ = state::idle;
    }
    left_.notify_all();
    return true;
}

void strand_state::leave() noexcept {
    while (!leave_if_idle()) {
        try {
            return hand_over(posting_);
        } catch (...) {
            if (!take_back())
                return; // the runner has begun all the same
        }
        after_turn turn(number_, posting_);
        run_one(); // this thread goes on
    }
}

} // namespace turnstile::zookeeper
