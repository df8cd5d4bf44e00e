// SPDX-License-Identifier: BSL-1.0
// The program that `turnstile run` is to run.
#pragma once

#include <string>

namespace turnstile::command {

/// Looks for the program as execvp will. Throws command_failure if it cannot be run: so a user sees
/// a slip before the wait for the lock.
void check_program(const std::string& name);

} // namespace turnstile::command
