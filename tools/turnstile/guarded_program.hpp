// SPDX-License-Identifier: BSL-1.0
// Turnstile's side of the program that it runs.
#pragma once

#include "guardian.hpp"
#include "unique_fd.hpp"

#include <turnstile/lease_clock.hpp>
#include <turnstile/session_key.hpp>

#include <boost/asio/awaitable.hpp>

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

/// A program that a guardian starts, watches and ends.
///
/// Make it before anything that has a thread: the guardian is forked off then and there.
class guarded_program {
public:
    explicit guarded_program(program_plan plan);
    guarded_program(const guarded_program&) = delete;
    guarded_program& operator=(const guarded_program&) = delete;
    ~guarded_program() { end(); }

    /// It is ended if turnstile is killed. With the id 0: there is none.
    void session(const session_key& now);
    /// `kill_at` comes before it.
    void start(std::int64_t session, const std::string& token);
    void kill_at(lease_clock::time_point when);
    /// To its process group. `from_terminal`: those in the foreground have it already.
    void signal(int number, bool from_terminal);
    /// A line for sh(1), beside the program and as a part of it. `environment`: NAME=value. False
    /// where the guardian cannot be told. Else a report answers.
    bool run_line(const std::string& line, const std::vector<std::string>& environment);
    /// SIGTERM to the program and all that descends from it; with `all` false, daemons are left
    /// alone if the program has ended by itself.
    void ask_to_end(bool all);
    /// Of the process between turnstile and the program.
    pid_t guardian_process() const { return guardian_process_; }
    /// Kills whatever of the program must end, and leaves the session to turnstile. Returns when
    /// nothing of it is left, and the guardian neither.
    void end() noexcept;

    /// What the guardian tells next. Nothing once it has gone, which it does not do by itself: then
    /// this has ended the program.
    boost::asio::awaitable<std::optional<guard_report>> next_report();
    /// Then: how it has ended, in words.
    const std::string& end_of_guardian() const { return end_of_guardian_; }

private:
    void order(const guard_order& what) const;
    boost::asio::awaitable<void> kill_orphans();

    std::vector<pid_t> strangers_; // children that whoever became turnstile had before
    unique_fd guardian_;
    pid_t guardian_process_ = -1;
    std::string end_of_guardian_{};
    std::int64_t session_ = 0; // that the guardian knows
};

} // namespace turnstile::command
