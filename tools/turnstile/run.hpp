// SPDX-License-Identifier: BSL-1.0
// turnstile run: a program under a lock.
#pragma once

#include "lock_options.hpp"
#include "once_period.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

struct run_options : lock_options {
    std::optional<std::chrono::milliseconds> grace{};
    std::chrono::milliseconds at_least{0};
    once_period once_per{};
    std::string on_yield{}; ///< a line for sh(1), or "end"; empty: no request is awaited
    std::vector<std::string> program{}; ///< and its arguments

    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int run(const run_options& how);

} // namespace turnstile::command
