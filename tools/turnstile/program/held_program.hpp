// SPDX-License-Identifier: BSL-1.0
// A program that runs under a held lock.
#pragma once

#include "exit_code.hpp"
#include "program/guarded_program.hpp"

#include <turnstile/held_lock.hpp>
#include <turnstile/lease_clock.hpp>
#include <turnstile/yield_request.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

struct hold_options {
    std::string path{};
    std::string program{};
    std::chrono::milliseconds grace{};    ///< from SIGTERM to SIGKILL
    std::chrono::milliseconds at_least{}; ///< the lock is kept this long, even if the program ends
    std::chrono::milliseconds timeout{};  ///< the session timeout
    std::int64_t session = 0;             ///< the session's id
    bool token_counts = true;             ///< the fencing token tells an older holder from a newer
    /// Called with the first request to yield the lock. Empty: no request is awaited.
    std::function<void(const yield_request&)> on_yield{};
    /// Called once, if the lock is lost before the program has ended or before its release.
    std::function<void(const std::string& reason)> on_lost = [](const std::string&) {};
};

/// What became of the program, and of the lock.
struct held_result {
    int code = 0;   ///< turnstile's exit code
    int signal = 0; ///< the signal that ended the program; 0: none did
};

/// One run of a program under a lock that is held already. It has the program started by its
/// guardian, tells the guardian until when the lock is held, and asks the program to end when the
/// lock is lost. When the program has ended, it keeps the lock for the rest of --at-least, and then
/// releases it. `locked_run` (run.cpp) makes it, and calls it on the session's executor only.
class held_program {
public:
    held_program(guarded_program& program, held_lock lock, hold_options how);

    /// Starts the program. Returns when the program has ended and the lock is released or lost.
    boost::asio::awaitable<held_result> run();
    /// Passes a signal on to the program. Once the program has ended, the signal ends all waiting
    /// instead: neither `at_least` nor an answer to the release is waited for any more.
    void on_signal(int number, bool from_terminal);
    /// Has the guardian run the line of --on-yield. Like the program, it ends with the lock.
    void run_line(const std::string& line, const std::vector<std::string>& environment);

private:
    // run() runs these four side by side. Only follow_reports() ends by itself.
    boost::asio::awaitable<void> follow_reports();
    boost::asio::awaitable<void> follow_loss();
    boost::asio::awaitable<void> follow_deadline();
    boost::asio::awaitable<void> follow_yield();

    /// Waits for the rest of --at-least, unless the lock is lost or the user wants the end.
    boost::asio::awaitable<void> keep_lock();
    boost::asio::awaitable<void> release();
    void mark_lost(const std::string& reason, exit_code code = exit_code::lost);
    void on_not_started(int error);
    void on_left_behind(int count);
    void on_kept(int process) const;
    /// Sends SIGTERM. Returns how long the program has until SIGKILL.
    std::chrono::milliseconds ask_to_end(bool all);
    void tell_deadline();
    held_result result() const;

    guarded_program& program_;
    held_lock lock_;
    const hold_options how_;
    std::chrono::steady_clock::time_point keep_until_{};   // --at-least
    std::optional<boost::asio::steady_timer> last_wait_{}; // made when the program has ended
    int lines_ = 0; // lines of --on-yield that the guardian was sent, and has not answered
    std::optional<int> status_{}; // the program's, as waitpid has it, once it has ended
    int start_error_ = 0; // errno, if the program was not started; EOWNERDEAD: the guardian is gone
    bool started_ = false;            // the guardian has started the program
    bool killed_ = false;             // the guardian has kept the deadline
    std::optional<exit_code> lost_{}; // set once the lock is lost: the exit code that says so
    bool stopped_by_user_ = false;    // a signal has asked the program to end
    bool was_asked_ = false;          // a request to yield has come
    std::optional<lease_clock::time_point> kill_by_{}; // set by ask_to_end(): the latest SIGKILL
    std::optional<lease_clock::time_point> told_deadline_{}; // the deadline that the guardian knows
};

} // namespace turnstile::command
