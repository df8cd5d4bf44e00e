// SPDX-License-Identifier: BSL-1.0
// turnstile drill: shows how near a lock comes to its loss while servers are restarted.
#pragma once

#include "lock_options.hpp"

#include <chrono>
#include <optional>

namespace turnstile::command {

struct drill_options : lock_options {
    std::optional<std::chrono::milliseconds> length{}; ///< nothing: it goes on until a signal

    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int drill(const drill_options& how);

} // namespace turnstile::command
