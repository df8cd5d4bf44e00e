// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

/// Runs other programs to their end. No shell is involved: arguments are passed as they are.
namespace turnstile::chaos::shell {

/// Returns the exit code, or the negative number of the signal that ended the program; 127 if there
/// is no such program.
[[nodiscard]] int status_of(const std::vector<std::string>& argv) noexcept;

/// Throws std::runtime_error with the program's output unless it exits with 0.
void run(const std::vector<std::string>& argv);

/// Returns what the program wrote to its standard output and error. Throws as run() does.
[[nodiscard]] std::string output_of(const std::vector<std::string>& argv);

} // namespace turnstile::chaos::shell
