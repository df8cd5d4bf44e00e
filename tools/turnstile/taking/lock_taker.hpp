// SPDX-License-Identifier: BSL-1.0
// The acquire of the lock that a command line names.
#pragma once

#include "options/lock_options.hpp"
#include "taking/wanted_lock.hpp"

#include <turnstile/diagnostics.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/session.hpp>
#include <turnstile/session_key.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

namespace turnstile::command {

/// Refuses a lock that a `turnstile run` around this one holds: the wait for it would never end.
/// Throws command_failure.
void check_not_within(const lock_options& how);

/// Acquires one lock, once, and says so if it does not get it. On the session's executor.
class lock_taker {
public:
    /// Called with each session that the wait uses.
    using session_listener = std::function<void(const session_key&)>;

    lock_taker(const lock_options& how, session& own, session_listener on_session = {});
    lock_taker(const lock_taker&) = delete;
    lock_taker& operator=(const lock_taker&) = delete;

    /// Returns the lock; or the exit code, if others have it or the wait was stopped. Throws
    /// command_failure.
    boost::asio::awaitable<std::variant<held_lock, int>> take();
    /// Ends the wait, with this exit code. Has no effect once the wait is over.
    void stop(int code);
    /// Whether the wait is over.
    bool is_done() const { return done_; }

private:
    boost::asio::awaitable<std::variant<held_lock, int>> try_to_take();
    boost::asio::awaitable<std::tuple<error_code, held_lock>> acquire(diagnostics& told);
    boost::asio::awaitable<void> follow_session();
    boost::asio::awaitable<int> not_acquired(const diagnostics& told);

    const lock_options& how_;
    session& session_;
    wanted_lock wanted_;
    const lease_clock::time_point began_ = lease_clock::now(); // when the wait began
    const session_listener on_session_;
    boost::asio::steady_timer asked_; // expires when stop() was called
    std::optional<int> stopped_{};    // the exit code of stop()
    bool done_ = false;               // the wait is over
};

} // namespace turnstile::command
