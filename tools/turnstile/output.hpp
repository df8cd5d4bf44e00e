// SPDX-License-Identifier: BSL-1.0
// The standard output of the command.
#pragma once

#include <string>

namespace turnstile::command {

/// Writes all of it at once. Throws command_failure where that fails: a full disk is no success.
void print(const std::string& text);

} // namespace turnstile::command
