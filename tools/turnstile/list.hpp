// SPDX-License-Identifier: BSL-1.0
// turnstile ls: lists the locks below a node.
#pragma once

#include "path_command.hpp"

#include <cstddef>

namespace turnstile::command {

struct list_options : path_options {
    std::size_t most = 10'000; ///< at most so many nodes are looked at

    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int list(const list_options& how);

} // namespace turnstile::command
