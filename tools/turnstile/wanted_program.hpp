// SPDX-License-Identifier: BSL-1.0
// The program that `turnstile run` is to run.
#pragma once

#include <string>

namespace turnstile::command {

/// Looks for it as execvp will. Throws command_failure if it cannot be run: whoever waits for a
/// lock hears of a slip at once.
void check_program(const std::string& name);

} // namespace turnstile::command
