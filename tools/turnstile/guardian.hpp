// The process between turnstile and the program that it runs.
#pragma once

#include "guard_message.hpp"
#include "unique_fd.hpp"

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::command {

/// Starts the program in a process group of its own, and ends that group if turnstile is killed, or
/// does not put off the deadline in time.
///
/// It is forked off before turnstile has a thread, and uses nothing of the library. It is the
/// program's parent, so nobody else can have the program's process id while it matters. It is the
/// parent of orphans among the program's descendants, too, so it knows when the group is empty.
class guardian {
public:
    /// `turnstile`: the socket to it. The lock's path goes into the program's environment.
    guardian(unique_fd turnstile, std::vector<std::string> argv, std::string lock);

    /// Returns when turnstile has gone and nothing of the program's group is left.
    void watch();

private:
    bool take_orders();
    void on_order(const guard_order& what);
    void start(const guard_order& what);
    void refuse(int error) const;
    [[noreturn]] void become_program(const guard_order& what);
    void kill_at(std::int64_t boot_time);
    bool is_over() const;
    void on_deadline();
    void on_child();
    void on_stop(int signal);
    bool look_for_group();
    void signal_group(int number) const;
    void report(guard_report::kind what, int value = 0) const;
    int patience() const;

    unique_fd turnstile_;
    std::vector<std::string> argv_;
    std::string lock_;
    sigset_t mask_{}; // that the program gets: the one before the guardian
    unique_fd children_;
    unique_fd deadline_;
    std::int64_t kill_at_ = 0; // 0: never
    pid_t group_ = 0;          // 0: not started, or nobody is left
    bool ended_ = false;       // the program itself
    bool killed_ = false;
    unique_fd terminal_;       // that the program is given
    pid_t terminal_owner_ = 0; // and who had it before
};

} // namespace turnstile::command
