// SPDX-License-Identifier: BSL-1.0
// turnstile show: says who holds a lock, and who waits for it.
#pragma once

#include "path_command.hpp"

#include <cstddef>

namespace turnstile::command {

struct show_options : path_options {
    std::size_t most = 50; ///< the tickets of the first so many are read

    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int show(const show_options& how);

} // namespace turnstile::command
