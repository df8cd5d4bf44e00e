// The program while the lock is held.
#pragma once

#include "guarded_program.hpp"

#include <turnstile/held_lock.hpp>
#include <turnstile/lease_clock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace turnstile::command {

struct hold_options {
    std::string path{};
    std::string program{};
    std::chrono::milliseconds grace{};    ///< from SIGTERM to SIGKILL
    std::chrono::milliseconds at_least{}; ///< the lock is kept so long
    bool token_counts = true;             ///< it tells an older holder from a newer one
};

/// Starts the program, tells its guardian until when the lock is held, and ends the program when
/// the lock is lost.
class held_program {
public:
    held_program(guarded_program& program, held_lock lock, hold_options how);

    /// Until the program has ended, and the lock is free to go. Returns the exit code.
    boost::asio::awaitable<int> run(std::chrono::milliseconds session_timeout);
    /// Goes on to the program. After its end it ends the wait for `at_least`.
    void on_signal(int number);

private:
    boost::asio::awaitable<void> follow_program();
    boost::asio::awaitable<void> follow_loss();
    boost::asio::awaitable<void> follow_deadline(std::chrono::milliseconds pace);
    boost::asio::awaitable<void> keep_lock(std::chrono::steady_clock::time_point until);
    void on_not_started(int error);
    void end_group();
    void tell_deadline();
    int result() const;

    guarded_program& program_;
    held_lock lock_;
    const hold_options how_;
    std::optional<boost::asio::steady_timer> keeping_{};
    std::optional<int> status_{};                   // of the program, once it has ended
    int start_error_ = 0;                           // errno
    bool lost_ = false;                             // before the program ended
    std::optional<lease_clock::time_point> last_{}; // SIGKILL at the latest, after SIGTERM
    std::optional<lease_clock::time_point> told_{}; // to the guardian
};

} // namespace turnstile::command
