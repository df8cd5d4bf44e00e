// SPDX-License-Identifier: BSL-1.0
// The program while the lock is held.
#pragma once

#include "exit_code.hpp"
#include "guarded_program.hpp"

#include <turnstile/held_lock.hpp>
#include <turnstile/lease_clock.hpp>
#include <turnstile/yield_request.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

struct hold_options {
    std::string path{};
    std::string program{};
    std::chrono::milliseconds grace{};    ///< from SIGTERM to SIGKILL
    std::chrono::milliseconds at_least{}; ///< the lock is kept so long
    std::chrono::milliseconds timeout{};  ///< of the session
    std::int64_t session = 0;             ///< at the servers
    bool token_counts = true;             ///< it tells an older holder from a newer one
    /// The first request to let the lock go. Empty: none is awaited.
    std::function<void(const yield_request&)> on_yield{};
    std::function<void(const std::string& reason)> on_lost = [](const std::string&) {};
};

/// What became of the program, and of the lock.
struct held_result {
    int code = 0;   ///< turnstile's exit code
    int signal = 0; ///< that ended the program; 0: none
};

/// Starts the program, tells its guardian until when the lock is held, and ends the program when
/// the lock is lost.
class held_program {
public:
    held_program(guarded_program& program, held_lock lock, hold_options how);

    /// Until the program has ended, and the lock is released.
    boost::asio::awaitable<held_result> run();
    /// Goes on to the program. Once it has ended, nothing is waited for any more: neither the end
    /// of `at_least` nor a server that takes the release.
    void on_signal(int number, bool from_terminal);
    /// Runs the line of --on-yield, which ends with the lock.
    void run_line(const std::string& line, const std::vector<std::string>& environment);

private:
    boost::asio::awaitable<void> follow_program();
    boost::asio::awaitable<void> follow_loss();
    boost::asio::awaitable<void> follow_deadline();
    boost::asio::awaitable<void> follow_yield();
    boost::asio::awaitable<void> keep_lock();
    boost::asio::awaitable<void> release();
    void mark_lost(const std::string& reason, exit_code code = exit_code::lost);
    void on_not_started(int error);
    void on_left(int count);
    void on_kept(int process) const;
    std::chrono::milliseconds ask_to_end(bool all);
    void tell_deadline();
    held_result result() const;

    guarded_program& program_;
    held_lock lock_;
    const hold_options how_;
    std::chrono::steady_clock::time_point keep_until_{}; // by --at-least
    std::optional<boost::asio::steady_timer> waiting_{}; // once the program has ended
    int lines_ = 0;                                      // whose start is not answered yet
    std::optional<int> status_{};                        // of the program, once it has ended
    int start_error_ = 0;                                // errno
    bool started_ = false;
    std::optional<exit_code> lost_{};               // before the program ended
    bool stopped_by_user_ = false;                  // a signal has asked for the end
    bool was_asked_ = false;                        // to yield
    std::optional<lease_clock::time_point> last_{}; // SIGKILL at the latest, after SIGTERM
    std::optional<lease_clock::time_point> told_{}; // to the guardian
};

} // namespace turnstile::command
