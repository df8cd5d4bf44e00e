// SPDX-License-Identifier: BSL-1.0
// The shell line of --on-lost.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace turnstile::command {

/// A line for sh(1) that `run` and `hold` start when the lock is lost, and so without the lock.
/// Signals to the program do not reach it.
class shell_line {
public:
    /// An empty line stands for none. `option`: the option that gave it, for messages.
    shell_line(std::string option, std::string line)
        : option_(std::move(option)), line_(std::move(line)) {}

    /// Starts the line. `environment`: NAME=value, beside what turnstile itself has.
    void start(std::vector<std::string> environment);
    /// Waits until the line has ended. If it takes too long, or stop() is called, the line and its
    /// children get SIGTERM, and later SIGKILL.
    boost::asio::awaitable<void> wait();
    /// The line shall end soon: the wait for it gives it no more time.
    void stop() { stop_wanted_ = true; }

private:
    const std::string option_;
    const std::string line_;
    pid_t process_ = -1; // -1: the line was not started
    bool stop_wanted_ = false;
};

} // namespace turnstile::command
