// SPDX-License-Identifier: BSL-1.0
// The process between turnstile and the program that it runs.
#pragma once

#include "command_failure.hpp"
#include "guard_message.hpp"
#include "processes.hpp"
#include "unique_fd.hpp"

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

/// Of a system call that a guardian needs; errno says how.
command_failure refused_call(const char* what);

/// Starts the program, and ends it with all that descends from it if turnstile is killed, or does
/// not put off the deadline in time.
///
/// If turnstile is killed, the guardian ends the session, too: once nothing of the program is left,
/// others get the lock at once.
///
/// It is forked off before turnstile has a thread, and uses nothing of the library before all that
/// is over. It is the program's parent, so nobody else can have the program's process id while it
/// matters. It is the parent of orphans among the program's descendants, too: no process can leave
/// its tree, whatever process group or session it is in.
class guardian {
public:
    /// `turnstile`: the socket to it. Throws command_failure where the kernel or a sandbox refuses
    /// what a guardian needs.
    guardian(unique_fd turnstile, program_plan plan);

    /// In the guardian's own process. Returns when turnstile has gone and nothing that must end is
    /// left.
    void watch();

private:
    enum class phase {
        waiting,  // for the order to start
        running,  // the program
        clearing, // the program has ended, but not all that it has left behind
        over,     // nothing is left that must end
    };

    enum class force { none, term, kill }; // that all of the program has met

    bool take_orders();
    void on_message(std::string_view message);
    void keep_session();
    void end_session();
    void on_order(const guard_order& what);
    void start(const guard_order& what);
    void refuse(int error);
    [[noreturn]] void become_program(const guard_order& what);
    void run_line(std::string_view texts);
    [[noreturn]] void become_line(std::string_view texts);
    void kill_at(std::int64_t boot_time);
    bool is_over() const;
    void on_deadline();
    void on_signal(int number, bool from_terminal);
    void on_child();
    void on_end(int status);
    void on_stop(int signal);
    void wake_in_foreground();
    void look_for_rest(bool none_at_all);
    void kill_rest();
    void tell_kept(pid_t one);
    void end(bool daemons_too);
    bool is_daemon(const process& child) const;
    std::vector<process> those_to_end(std::vector<process> all) const;
    bool is_active() const { return phase_ == phase::running || phase_ == phase::clearing; }
    void signal_group(int number) const;
    void signal_all(int number) const;
    void report(guard_report::kind what, int value = 0) const;
    int patience() const;

    unique_fd turnstile_;
    program_plan plan_;
    sigset_t mask_{}; // that the program gets: the one before the guardian
    unique_fd children_;
    unique_fd deadline_;
    unique_fd terminal_;        // the controlling one
    pid_t turnstile_group_ = 0; // the program's, too, where there is a terminal
    phase phase_ = phase::waiting;
    pid_t program_ = 0;
    std::int64_t kill_at_ = 0; // 0: never
    force force_ = force::none;
    bool stopped_ = false;       // until it is in the foreground
    bool spares_daemons_ = true; // until turnstile has to end the program
    bool told_left_ = false;     // to turnstile
    bool told_kept_ = false;     // the same
    std::int64_t ended_at_ = 0;  // the program
    std::int64_t killed_at_ = 0; // all that must end
    std::optional<session_key> session_;
    std::optional<boost::asio::io_context> keeping_; // the session, where turnstile has gone
    std::vector<pid_t> spared_;                      // sessions of daemons, once SIGTERM was sent
};

} // namespace turnstile::command
