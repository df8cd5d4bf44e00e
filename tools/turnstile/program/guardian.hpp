// SPDX-License-Identifier: BSL-1.0
// The process between turnstile and the program that it runs.
#pragma once

#include "command_failure.hpp"
#include "guard/guard_message.hpp"
#include "program/processes.hpp"
#include "program/unique_fd.hpp"

#include <turnstile/session_key.hpp>

#include <boost/asio/io_context.hpp>

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile::command {

/// What a program is started with.
struct program_plan {
    std::vector<std::string> argv{};
    std::vector<std::pair<std::string, std::string>> environment{}; ///< beside that of turnstile
};

/// The failure of a system call that a guardian needs. Reads errno.
command_failure failure_of_call(const char* what);

/// Starts the program. It ends the program, with all that descends from it, if turnstile is killed
/// or does not put off the deadline in time. If turnstile is killed, it ends the session, too, once
/// nothing of the program is left: others then get the lock at once.
///
/// It is a process of one thread, which `guarded_program` forks off before turnstile has a thread.
/// Until the program is gone, it uses nothing of the library. It is the program's parent, so no
/// other process can have the program's id while that matters. Orphans among the program's
/// descendants become its children, too: no process can leave its tree, whatever process group or
/// session that process is in.
class guardian {
public:
    /// `turnstile`: the socket to it. Throws command_failure if the kernel or a sandbox refuses
    /// what a guardian needs.
    guardian(unique_fd turnstile, program_plan plan);

    /// In the guardian's own process. Returns when turnstile has gone and nothing that must end is
    /// left.
    void watch();

private:
    enum class phase {
        waiting,  // the order to start has not come yet
        running,  // the program runs
        clearing, // the program has ended, and processes that it has left behind may be there
        over,     // no process is left that must end
    };

    enum class force { none, term, kill }; // the strongest signal that all of the program got

    /// Reads all messages that have come. Returns whether turnstile is still there.
    bool take_orders();
    void on_message(std::string_view message);
    /// Once turnstile has gone: keeps the session alive while a process of the program is left.
    void keep_session();
    /// Ends the session at the servers, unless turnstile has closed it.
    void end_session();
    void on_order(const guard_order& order);
    void start(const guard_order& order);
    void refuse_start(int error);
    [[noreturn]] void become_program(const guard_order& order);
    void run_line(std::string_view texts);
    [[noreturn]] void become_line(std::string_view texts);
    void disarm();
    /// Sets the instant at which all is killed; 0: never.
    void set_deadline(std::int64_t boot_time);
    bool deadline_has_come() const;
    /// Sends SIGKILL to all that must end: the deadline has come, or turnstile has gone.
    void on_deadline();
    void on_signal(int number, bool from_terminal);
    /// Takes the states of all children that have ended or stopped.
    void on_child();
    void on_end(int status);
    void on_stop(int signal);
    void wake_in_foreground();
    /// After the program's end: is over if no process is left that must end. Otherwise reports what
    /// is left, or kills on. `none_at_all`: this process has no child, and so no descendant.
    void check_descendants(bool none_at_all);
    /// Sends SIGKILL again, to processes that were forked meanwhile. Reports those that live on.
    void kill_rest();
    /// Reports once that a process cannot be ended; 0: one that /proc does not show.
    void report_unkillable(pid_t one);
    /// Sends SIGTERM to all of the program. `daemons_too`: no daemon is spared.
    void end_program(bool daemons_too);
    /// Whether it has a session of its own, and its parent has ended.
    bool is_daemon(const process& child) const;
    /// Leaves out the daemons that live on, and their descendants.
    std::vector<process> those_to_end(std::vector<process> all) const;
    bool is_active() const { return phase_ == phase::running || phase_ == phase::clearing; }
    /// Sends a signal to the program's process group.
    void signal_group(int number) const;
    /// Sends a signal to all that must end.
    void signal_all(int number) const;
    void report(guard_report::kind what, int value = 0) const;
    /// How many milliseconds poll may wait before the next look; -1: any time.
    int poll_timeout() const;

    unique_fd turnstile_;
    program_plan plan_;
    sigset_t mask_{};           // the signal mask that the program gets: turnstile's at the fork
    unique_fd children_;        // a signalfd for SIGCHLD
    unique_fd deadline_;        // a timerfd
    unique_fd terminal_;        // the controlling one
    pid_t turnstile_group_ = 0; // the program's process group, too, if there is a terminal
    phase phase_ = phase::waiting;
    pid_t program_ = 0;
    std::int64_t kill_at_ = 0; // when all is killed; 0: never
    force force_ = force::none;
    bool stopped_ = false;             // the program waits to be in the foreground
    bool spares_daemons_ = true;       // daemons may live on: the program has not been made to end
    bool reported_left_ = false;       // what the program has left behind was reported to turnstile
    bool reported_unkillable_ = false; // a process that cannot be ended was reported to turnstile
    std::int64_t ended_at_ = 0;        // when the program ended
    std::int64_t killed_at_ = 0;       // when all that must end got SIGKILL
    std::optional<session_key> session_;             // turnstile's, as far as this process knows
    std::optional<boost::asio::io_context> keeping_; // keeps the session once turnstile has gone
    std::vector<pid_t>
        daemon_sessions_; // the sessions of the daemons that live on, once SIGTERM was sent
};

} // namespace turnstile::command
