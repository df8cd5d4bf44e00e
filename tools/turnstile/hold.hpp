// SPDX-License-Identifier: BSL-1.0
// turnstile hold: a lock that is held until the standard input ends, for a section of a script.
#pragma once

#include "lock_options.hpp"

namespace turnstile::command {

struct section_options : lock_options {
    void add_to(CLI::App& app);
};

/// Returns the exit code. Throws command_failure.
int hold(const section_options& how);

} // namespace turnstile::command
