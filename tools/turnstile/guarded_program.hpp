// Turnstile's side of the program that it runs.
#pragma once

#include "guard_message.hpp"
#include "unique_fd.hpp"

#include <turnstile/lease_clock.hpp>

#include <boost/asio/any_io_executor.hpp>
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
    /// `lock`: its path.
    guarded_program(std::vector<std::string> argv, std::string lock);
    guarded_program(const guarded_program&) = delete;
    guarded_program& operator=(const guarded_program&) = delete;
    ~guarded_program() { end(); }

    /// `kill_at` comes before it.
    void start(const std::string& token);
    void kill_at(lease_clock::time_point when);
    void signal(int number);
    /// Kills the program's process group. Returns when nothing of it is left, and the guardian
    /// neither.
    void end() noexcept;

    /// What the guardian tells next; nothing once it has gone, which it does not do by itself.
    boost::asio::awaitable<std::optional<guard_report>> next_report();

private:
    void order(const guard_order& what) const;

    unique_fd guardian_;
    pid_t guardian_process_ = -1;
    pid_t group_ = 0; // the program's, as long as somebody is in it
};

} // namespace turnstile::command
