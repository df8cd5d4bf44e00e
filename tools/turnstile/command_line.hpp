// SPDX-License-Identifier: BSL-1.0
// Reads the command line.
#pragma once

#include <functional>

namespace turnstile::command {

/// Reads the command line. Returns a function that does the work and returns the exit code. If the
/// command line asks for help, that work is to print it. If it is wrong, this says so, and the work
/// is only to return the exit code.
std::function<int()> work_of(int argc, char** argv);

} // namespace turnstile::command
