// SPDX-License-Identifier: BSL-1.0
// turnstile yield: the holder of a lock is asked to let go.
#pragma once

#include "path_command.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace turnstile::command {

struct yield_options : path_options {
    std::string reason{};
    std::optional<std::chrono::milliseconds> limit{}; ///< of the wait; nothing: for ever

    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int yield_lock(const yield_options& how);

} // namespace turnstile::command
