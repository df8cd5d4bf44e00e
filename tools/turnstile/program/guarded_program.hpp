// SPDX-License-Identifier: BSL-1.0
// A program that turnstile runs, as turnstile sees it.
#pragma once

#include "program/guardian.hpp"
#include "program/processes.hpp"
#include "program/unique_fd.hpp"

#include <turnstile/lease_clock.hpp>
#include <turnstile/session_key.hpp>

#include <boost/asio/awaitable.hpp>

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

/// A program that a guardian starts, watches and ends. This is turnstile's end of the socket
/// between the two: its members send orders and do not wait, but for end() and next_report(). run()
/// owns it, and held_program uses it while the lock is held.
///
/// Make it before the process has a second thread: the constructor forks the guardian off.
class guarded_program {
public:
    explicit guarded_program(program_plan plan);
    guarded_program(const guarded_program&) = delete;
    guarded_program& operator=(const guarded_program&) = delete;
    ~guarded_program() { end(); }

    /// Tells the guardian which session to end if turnstile is killed. The id 0: there is none.
    void session(const session_key& now);
    /// Starts the program. Call kill_at() before. `token` is empty if the lock has none.
    void start(std::int64_t session, const std::string& token);
    /// Moves the instant at which the guardian kills all of the program.
    void kill_at(lease_clock::time_point when);
    /// Sends a signal to the program's process group. `from_terminal`: the group in the foreground
    /// has got it already.
    void signal(int number, bool from_terminal);
    /// Runs a line by sh(1) as a part of the program. `environment`: NAME=value. False if the
    /// guardian cannot be reached. Otherwise a report answers.
    bool run_line(const std::string& line, const std::vector<std::string>& environment);
    /// Sends SIGTERM to the program and all that descends from it. If not `daemons_too`, daemons
    /// are left alone if the program has ended by itself. A guardian that is stopped goes on.
    void ask_to_end(bool daemons_too);
    pid_t guardian_process() const { return guardian_process_; }
    /// Kills a guardian that stands still. The kernel kills the program with it, and next_report()
    /// ends the rest.
    void kill_guardian() const { send_signal({.id = guardian_process_}, SIGKILL); }
    /// Lets the guardian kill all processes of the program that must end, and leave the session to
    /// turnstile. Returns when the guardian has ended, too.
    void end() noexcept;

    /// Waits for the guardian's next report. Nothing: somebody has killed the guardian, and this
    /// function has ended the program.
    boost::asio::awaitable<std::optional<guard_report>> next_report();
    /// How the guardian has ended, in words, once next_report() has returned nothing.
    const std::string& end_of_guardian() const { return end_of_guardian_; }

private:
    /// Sends an order. It is dropped if the guardian has gone, or has not read for long.
    void order(const guard_order& what) const;
    /// Kills what a dead guardian has left of the program. Returns when all of it has ended.
    boost::asio::awaitable<void> kill_orphans();

    std::vector<pid_t> strangers_; // children that this process had before it became turnstile
    unique_fd socket_;             // to the guardian
    pid_t guardian_process_ = -1;
    std::string end_of_guardian_{};
    std::int64_t session_ = 0; // the one that the guardian knows
};

} // namespace turnstile::command
