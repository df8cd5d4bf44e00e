// SPDX-License-Identifier: BSL-1.0
// What `turnstile run` runs at --on-lost.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace turnstile::command {

/// A line for sh(1) that tells of a loss, so it may work without the lock. Signals to the program
/// do not reach it.
class shell_line {
public:
    /// An empty line is none. `option`: of the command line, which gave it.
    shell_line(std::string option, std::string line)
        : option_(std::move(option)), line_(std::move(line)) {}

    /// `environment`: NAME=value.
    void start(std::vector<std::string> environment);
    /// Until it has ended. One that takes too long, or that `stop` asks to end, gets SIGTERM, and
    /// SIGKILL after that.
    boost::asio::awaitable<void> wait();
    void stop() { stopped_ = true; }

private:
    const std::string option_;
    const std::string line_;
    pid_t process_ = -1;
    bool stopped_ = false;
};

} // namespace turnstile::command
