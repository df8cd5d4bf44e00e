#include "zookeeper/strand_state.hpp"

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <algorithm>
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
    explicit runner(std::shared_ptr<strand_state> of) noexcept : of_(std::move(of)) {}
    runner(runner&&) noexcept = default;
    runner& operator=(runner&&) = delete;
    ~runner() {
        if (of_)
            of_->let_go();
    }

    void operator()() { std::exchange(of_, nullptr)->run_waiting(); }

private:
    std::shared_ptr<strand_state> of_;
};

void strand_state::pass_on(std::exception_ptr failure) const {
    direct_->execute([failure = std::move(failure)] { std::rethrow_exception(failure); });
}

void strand_state::let_go() noexcept {
    std::deque<std::unique_ptr<queued>> going; // destroyed when the lock is free again
    const std::lock_guard alone(mutex_);
    if (handing_over_ != std::this_thread::get_id()) // else hand_over() throws, for want of memory
        going.swap(waiting_);
}

void strand_state::hand_over(const plain_executor& to) {
    {
        const std::lock_guard alone(mutex_);
        handing_over_ = std::this_thread::get_id();
    }
    to.execute(runner(shared_from_this()));
    take_back();
}

// Whether this thread was handing over a runner that has not begun.
bool strand_state::take_back() noexcept {
    const std::lock_guard alone(mutex_);
    if (handing_over_ != std::this_thread::get_id())
        return false;
    handing_over_ = {};
    return true;
}

void strand_state::add(std::unique_ptr<queued> next, bool posted) {
    const auto* const added = next.get();
    {
        const std::lock_guard alone(mutex_);
        waiting_.push_back(std::move(next));
        const auto before = state_.exchange(state::crowded);
        if (before == state::entered || before == state::crowded)
            return;
    }
    try {
        hand_over(posted ? posting_ : plain_);
    } catch (...) {
        if (take_back())
            forget(added);
        throw;
    }
}

// There was no memory for a runner. Others may have relied on it meanwhile: they get another one,
// at the latest with the next function.
void strand_state::forget(const queued* which) noexcept {
    std::unique_ptr<queued> gone; // destroyed when the lock is free again: it may come back here
    {
        const std::lock_guard alone(mutex_);
        const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                        [&](const auto& each) { return each.get() == which; });
        gone = std::move(*found);
        waiting_.erase(found);
    }
    gone.reset();
    if (leave_if_idle())
        return;
    try {
        hand_over(posting_);
    } catch (...) {
        if (take_back()) {
            const std::lock_guard alone(mutex_);
            state_ = state::forsaken;
        }
    }
}

// What comes meanwhile awaits the next runner, for the context has other work too.
void strand_state::run_waiting() {
    std::unique_lock alone(mutex_);
    handing_over_ = {};
    auto count = waiting_.size();
    alone.unlock();
    auto these = [&] {
        for (; count > 0; --count)
            take_first()->run();
    };
    turn(these);
}

std::unique_ptr<strand_state::queued> strand_state::take_first() {
    const std::lock_guard alone(mutex_);
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
}

bool strand_state::leave_if_idle() noexcept {
    const std::lock_guard alone(mutex_);
    if (!waiting_.empty())
        return false;
    state_ = state::idle;
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
        try { // there is no memory for a runner, so this thread goes on
            const after_turn after(number_, posting_);
            take_first()->run();
        } catch (...) { // its session has seen to its own end
        }
    }
}

} // namespace turnstile::zookeeper
