// SPDX-License-Identifier: BSL-1.0
// What the command line asks for.
#pragma once

#include <functional>

namespace turnstile::command {

/// Reads the command line. Returns what is to be done, which comes to the exit code; or says what
/// is wrong, or the help, and returns the exit code of that as what is to be done.
std::function<int()> work_of(int argc, char** argv);

} // namespace turnstile::command
