// SPDX-License-Identifier: BSL-1.0
// What `turnstile run --on-lost` runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

namespace turnstile::command {

/// A line for sh(1), which is run beside the end of the program. Signals to the program do not
/// reach it.
class loss_line {
public:
    /// An empty line is none.
    loss_line(std::string line, std::string path)
        : line_(std::move(line)), path_(std::move(path)) {}

    void start(const std::string& reason);
    /// Until it has ended.
    void wait() const;

private:
    const std::string line_;
    const std::string path_;
    pid_t process_ = -1;
};

} // namespace turnstile::command
