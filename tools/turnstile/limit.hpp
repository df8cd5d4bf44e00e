// SPDX-License-Identifier: BSL-1.0
// turnstile limit: tells or sets how many permits a semaphore has.
#pragma once

#include "path_command.hpp"

#include <cstdint>
#include <optional>

namespace turnstile::command {

struct limit_options : path_options {
    std::optional<std::uint32_t> limit{}; ///< the limit to set; nothing: it tells the limit
    bool remove = false;

    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int limit(const limit_options& how);

} // namespace turnstile::command
