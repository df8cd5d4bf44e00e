// SPDX-License-Identifier: BSL-1.0
// turnstile yield: asks the holder of a lock to yield it.
#pragma once

#include "path_command.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace turnstile::command {

struct yield_options : path_options {
    std::string reason{};
    std::optional<std::chrono::milliseconds> limit{}; ///< limit of the wait; nothing: none

    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int yield_lock(const yield_options& how);

} // namespace turnstile::command
