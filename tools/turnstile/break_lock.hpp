// SPDX-License-Identifier: BSL-1.0
// turnstile break: deletes a ticket of another process.
#pragma once

#include "path_command.hpp"

#include <string>

namespace turnstile::command {

struct break_options : path_options {
    std::string ticket{}; ///< which ticket; empty: the holder's
    bool yes = false;     ///< it deletes without a question

    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int break_lock(const break_options& how);

} // namespace turnstile::command
