// SPDX-License-Identifier: BSL-1.0
// The shell line of --on-lost.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace turnstile::command {

/// A line for sh(1) that runs when the lock is lost, and so without the lock. Signals to the
/// program do not reach it.
class shell_line {
public:
    /// An empty line stands for none. `option`: the option that gave it, for messages.
    shell_line(std::string option, std::string line)
        : option_(std::move(option)), line_(std::move(line)) {}

    /// `environment`: NAME=value.
    void start(std::vector<std::string> environment);
    /// Waits until the line has ended. If it takes too long, or stop() was called, it gets SIGTERM,
    /// and later SIGKILL.
    boost::asio::awaitable<void> wait();
    void stop() { stopped_ = true; }

private:
    const std::string option_;
    const std::string line_;
    pid_t process_ = -1;
    bool stopped_ = false;
};

} // namespace turnstile::command
