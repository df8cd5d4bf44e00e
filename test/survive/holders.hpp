// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "recent_log.hpp"
#include "survive_options.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <list>
#include <string>
#include <thread>

namespace turnstile::survive {

/// What holders went through.
struct findings {
    std::size_t lost = 0;           ///< locks, told by `lost`
    std::size_t at_risk = 0;        ///< how often a loss was near, told by `at_risk`
    std::size_t broken = 0;         ///< not held at the end, under another session, or not released
    std::size_t disconnections = 0; ///< how often a session was without a server
    std::size_t idle_harms = 0;     ///< kills, restarts and cuts that cost nobody a connection
    std::chrono::nanoseconds shortest_lease = std::chrono::hours{1}; ///< that was left at any time

    findings& operator+=(const findings& more);
};

/// Sessions that hold one lock each, on a thread of their own. A lock that is lost is counted, and
/// taken again.
class holders {
public:
    holders(const survive_options& how, const std::string& servers);
    holders(const holders&) = delete;
    holders& operator=(const holders&) = delete;
    ~holders();

    /// Throws std::runtime_error if not all hold their locks in time.
    void wait_until_all_hold(std::chrono::seconds limit) const;

    [[nodiscard]] std::size_t lost() const noexcept { return lost_; }
    [[nodiscard]] std::size_t disconnections() const noexcept { return disconnections_; }

    /// Waits until there are more than so many. False if there are not in time.
    [[nodiscard]] bool wait_for_disconnection(std::size_t after, std::chrono::seconds limit) const;

    /// Has all of them release and close. Rethrows what failed them.
    [[nodiscard]] findings finish();

private:
    boost::asio::awaitable<void> hold(session& s, std::string path, const recent_log& log);
    boost::asio::awaitable<void> count_disconnections(session& s);

    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        context_.get_executor()};
    std::list<recent_log> logs_;
    std::list<session> sessions_;
    std::atomic<std::size_t> holding_ = 0;
    std::atomic<std::size_t> lost_ = 0;
    std::atomic<std::size_t> disconnections_ = 0;
    std::atomic<bool> finish_ = false;
    findings found_;
    std::exception_ptr failure_;
    std::thread thread_;
};

} // namespace turnstile::survive
