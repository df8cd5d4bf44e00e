// SPDX-License-Identifier: BSL-1.0
// A lock that is held until the command is asked to end.
#pragma once

#include "program/input_end.hpp"
#include "program/signal_watch.hpp"
#include "taking/lock_taker.hpp"

#include <turnstile/held_lock.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <optional>

namespace turnstile::command {

/// Takes the lock, does some work under it, and releases it. A signal ends the wait for the lock
/// and the work. If `heeds_input`, so does the end of the standard input. It lives on the stack of
/// `hold` and `drill`, and works on the session's executor.
class lock_until_end {
public:
    /// The work under the lock. It is cancelled at the end, and when the lock is lost.
    using work = std::function<boost::asio::awaitable<void>(held_lock&)>;

    /// Called with the reason when the lock is lost.
    using loss_listener = std::function<void(const std::string& why)>;

    /// Throws command_failure if the input is heeded, but is of a kind that has no end.
    lock_until_end(
        const lock_options& how, session& own, bool heeds_input,
        loss_listener on_loss = [](const std::string&) {});

    /// Returns the exit code. Throws command_failure.
    boost::asio::awaitable<int> run(work under_lock);
    /// The signal that has asked for the end; 0: none did.
    int signal() const { return signal_; }

private:
    /// Takes the lock, does the work, releases. Sets code_.
    boost::asio::awaitable<void> hold(work under_lock);
    /// Asks to end when the input ends. Never returns.
    boost::asio::awaitable<void> follow_input();
    /// Tells the listener and the user, and sets code_.
    void report_loss(const std::string& text, const error_code& why);
    void on_signal(int number);
    /// Ends the wait and the work. `code` becomes the exit code if the lock was not acquired yet.
    void ask_to_end(int code);

    const lock_options& how_;
    session& session_;
    lock_taker taker_;
    signal_watch signals_;
    std::optional<input_end> input_{};
    const loss_listener on_loss_;
    int signal_ = 0;
    int code_ = 0;                                         // the exit code of run()
    boost::asio::steady_timer asked_;                      // cancelled when the end was asked for
    std::optional<boost::asio::steady_timer> releasing_{}; // the limit of the release
};

} // namespace turnstile::command
