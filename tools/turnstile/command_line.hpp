// SPDX-License-Identifier: BSL-1.0
// The command line.
#pragma once

#include <functional>

namespace turnstile::command {

/// Reads the command line. Returns a function that does the work and returns the exit code. If the
/// command line is wrong or asks for help, this prints the text, and the function only returns the
/// exit code.
std::function<int()> work_of(int argc, char** argv);

} // namespace turnstile::command
