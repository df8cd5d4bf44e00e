// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"
#include <turnstile.hpp>

#include <boost/asio/executor_work_guard.hpp>

namespace turnstile::partition {

namespace asio = boost::asio;
using namespace std::chrono_literals;

inline constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

/// What became of a lock that one session held and another waited for.
struct outcome {
    std::optional<lease_clock::time_point> lost;    ///< the holder was told so
    std::optional<lease_clock::time_point> granted; ///< to the other
    lease_clock::time_point deadline{};             ///< the holder's, at the loss or the release
};

/// A session that holds a lock, and one that waits for it, on a thread of their own.
class rivals {
public:
    struct options {
        std::string holders_server;
        std::string waiters_servers;
        std::string lock;
        std::chrono::milliseconds timeout;
        std::optional<std::chrono::milliseconds> tick; ///< as it is stated
        bool busy; ///< the holder's session takes another lock again and again
    };

    /// Returns when one holds and the other waits.
    explicit rivals(const options& how)
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
    rivals(const rivals&) = delete;
    rivals& operator=(const rivals&) = delete;
    ~rivals() {
        asio::post(context_, [this] { over_ = true; });
        context_.stop();
        thread_.join();
    }

    /// The holder lets go, where it has not lost the lock.
    void let_go() {
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
    outcome seen() const {
        const std::lock_guard lock(guard_);
        return seen_;
    }

private:
    boost::asio::awaitable<void> hold() {
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
    // Writes between the pings of the leader, one right after the other.
    boost::asio::awaitable<void> be_busy() {
        turnstile::mutex other{holder_, how_.lock + "-busy"};
        asio::steady_timer pause{context_};
        while (!over_) {
            if (auto [failure, held] = co_await other.acquire(no_throw); !failure)
                co_await held.release(no_throw);
            pause.expires_after(5ms);
            co_await pause.async_wait(no_throw);
        }
    }
    boost::asio::awaitable<void> wait() {
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
    void note(std::optional<lease_clock::time_point> outcome::*what) {
        const std::lock_guard lock(guard_);
        seen_.*what = lease_clock::now();
    }
    session_options options_of(const std::string& servers) const {
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
    void await(Condition met) {
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

    const options how_;
    boost::asio::io_context context_{1};
    session holder_;
    session waiter_;
    held_lock held_;
    bool holds_ = false;
    bool waits_ = false;
    bool over_ = false;
    outcome seen_;
    mutable std::mutex guard_; // of what both threads read
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::jthread thread_;
};

} // namespace turnstile::partition
