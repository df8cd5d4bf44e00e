// SPDX-License-Identifier: BSL-1.0
// The program that `turnstile run` is to run.
#pragma once

#include <string>

namespace turnstile::command {

/// Looks for the program as execvp will, so that a user hears of a slip before the wait for the
/// lock. Throws command_failure if the program cannot be run.
void check_program(const std::string& name);

} // namespace turnstile::command
