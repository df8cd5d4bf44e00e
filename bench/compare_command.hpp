// SPDX-License-Identifier: BSL-1.0
// `compare`: two files of rows beside each other.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace turnstile::bench {

class compare_command {
public:
    explicit compare_command(CLI::App& app);

    bool is_given() const { return options_->parsed(); }
    /// Returns the exit code: 0, 1 if something got worse and that was asked for, 2 for bad input.
    int run(const std::string& json);

private:
    CLI::App* options_;
    std::vector<std::string> files_; // base and new, if there is one of each
    std::vector<std::string> base_;
    std::vector<std::string> now_;
    bool fail_on_worse_ = false;
    double least_percent_ = 0;
};

} // namespace turnstile::bench
