// SPDX-License-Identifier: BSL-1.0
// turnstile leader: says who leads an election.
#pragma once

#include "path_command.hpp"

namespace turnstile::command {

struct leader_options : path_options {
    bool watch = false; ///< tell each change, until SIGINT or SIGTERM

    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int leader(const leader_options& how);

} // namespace turnstile::command
