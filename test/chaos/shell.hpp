// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

/// Other programs, run to their end. No shell is involved: arguments are passed as they are.
namespace turnstile::chaos::shell {

/// Its exit code, or the negative number of the signal that ended it; 127 if there is none such.
[[nodiscard]] int status_of(const std::vector<std::string>& argv) noexcept;

/// Throws std::runtime_error with what it said unless it exits with 0.
void run(const std::vector<std::string>& argv);

/// What it wrote to its standard output and error. Throws as run().
[[nodiscard]] std::string output_of(const std::vector<std::string>& argv);

} // namespace turnstile::chaos::shell
