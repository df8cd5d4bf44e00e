// SPDX-License-Identifier: BSL-1.0
// What `turnstile run` runs at --on-lost and --on-yield.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace turnstile::command {

/// A line for sh(1), which is run beside the program. Signals to the program do not reach it.
class shell_line {
public:
    /// An empty line is none. `option`: of the command line, which gave it.
    shell_line(std::string option, std::string line)
        : option_(std::move(option)), line_(std::move(line)) {}

    /// `environment`: NAME=value.
    void start(std::vector<std::string> environment);
    /// Until it has ended.
    void wait() const;

private:
    const std::string option_;
    const std::string line_;
    pid_t process_ = -1;
};

} // namespace turnstile::command
