// SPDX-License-Identifier: BSL-1.0
// turnstile watch: shows the changes of a lock as they happen.
#pragma once

#include "path_command.hpp"

#include <chrono>

namespace turnstile::command {

struct watch_options : path_options {
    std::chrono::milliseconds every{1'000};

    void add_to(CLI::App& app);
};

/// Goes on until SIGINT or SIGTERM. Returns the exit code. Throws command_failure.
int watch(const watch_options& how);

} // namespace turnstile::command
