// SPDX-License-Identifier: BSL-1.0
// turnstile hold: a lock for a section of a shell script.
#pragma once

#include "lock_options.hpp"

namespace turnstile::command {

/// Returns the exit code. Throws command_failure.
int hold(const lock_options& how);

} // namespace turnstile::command
