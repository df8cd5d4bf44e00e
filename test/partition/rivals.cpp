// SPDX-License-Identifier: BSL-1.0
#include "rivals.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <stdexcept>
#include <utility>

namespace turnstile::partition {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

} // namespace

rivals::rivals(const options& how)
    : how_(how),
      holder_(context_, options_of(how.holders_server)),
      waiter_(context_, options_of(how.waiters_servers)),
      work_(context_.get_executor()),
      thread_([this] { context_.run(); }) {
    asio::co_spawn(context_, hold(), asio::detached);
    await([this] { return holds_; });
    asio::co_spawn(context_, wait(), asio::detached);
    await([this] { return waits_; });
    if (how_.busy)
        asio::co_spawn(context_, be_busy(), asio::detached);
}

rivals::~rivals() {
    asio::post(context_, [this] { over_ = true; });
    context_.stop();
    thread_.join();
}

session_options rivals::options_of(const std::string& servers) const {
    session_options result;
    result.servers = servers;
    result.timeout = how_.timeout;
    result.tick = how_.tick;
    result.unreachable_limit = std::chrono::hours{1};
    result.connect_timeout = 30s;
    result.shortest_backoff = 20ms;
    result.longest_backoff = 200ms;
    result.log.level = log_level::none;
    return result;
}

template <class Condition>
void rivals::await(Condition met) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    for (;;) {
        {
            const std::lock_guard lock(guard_);
            if (met())
                return;
        }
        if (std::chrono::steady_clock::now() > end)
            throw std::runtime_error("nobody holds the lock or waits for it after 60 s");
        std::this_thread::sleep_for(5ms); // justified: another thread's progress is looked for
    }
}

void rivals::note(std::optional<lease_clock::time_point> outcome::*what) {
    const std::lock_guard lock(guard_);
    seen_.*what = lease_clock::now();
}

asio::awaitable<void> rivals::hold() {
    co_await holder_.connect(asio::use_awaitable);
    turnstile::mutex lock{holder_, how_.lock};
    held_ = co_await lock.acquire(asio::use_awaitable);
    {
        const std::lock_guard guard(guard_);
        holds_ = true;
    }
    co_await held_.wait_lost(no_throw);
    if (std::exchange(over_, true))
        co_return; // let go
    note(&outcome::lost);
    const std::lock_guard guard(guard_);
    seen_.deadline = held_.deadline();
}

asio::awaitable<void> rivals::wait() {
    co_await waiter_.connect(asio::use_awaitable);
    turnstile::mutex lock{waiter_, how_.lock};
    {
        const std::lock_guard guard(guard_);
        waits_ = true;
    }
    auto [failure, held] = co_await lock.acquire(no_throw);
    if (failure)
        co_return;
    note(&outcome::granted);
    co_await held.release(no_throw);
}

// Writes between the pings of the leader, one right after the other.
asio::awaitable<void> rivals::be_busy() {
    turnstile::mutex other{holder_, how_.lock + "-busy"};
    asio::steady_timer pause{context_};
    while (!over_) {
        if (auto [failure, held] = co_await other.acquire(no_throw); !failure)
            co_await held.release(no_throw);
        pause.expires_after(5ms);
        co_await pause.async_wait(no_throw);
    }
}

void rivals::let_go() {
    asio::post(context_, [this] {
        if (std::exchange(over_, true))
            return;
        {
            const std::lock_guard guard(guard_);
            seen_.deadline = held_.deadline();
        }
        held_.release(asio::detached);
    });
}

outcome rivals::seen() const {
    const std::lock_guard lock(guard_);
    return seen_;
}

} // namespace turnstile::partition
