// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace turnstile::partition {

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
    explicit rivals(const options& how);
    rivals(const rivals&) = delete;
    rivals& operator=(const rivals&) = delete;
    ~rivals();

    /// The holder lets go, where it has not lost the lock.
    void let_go();
    outcome seen() const;

private:
    boost::asio::awaitable<void> hold();
    boost::asio::awaitable<void> be_busy();
    boost::asio::awaitable<void> wait();
    void note(std::optional<lease_clock::time_point> outcome::*what);
    session_options options_of(const std::string& servers) const;
    template <class Condition>
    void await(Condition met);

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
