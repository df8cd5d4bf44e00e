// SPDX-License-Identifier: BSL-1.0
// What the command ends with, beside the exit code of the program that it runs.
#pragma once

namespace turnstile::command {

/// Below those that a shell gives to programs that it cannot run, and above those that programs
/// use. docs/command-line.md lists them for users.
enum class exit_code : int {
    done = 0,
    bad_usage = 120,    ///< an option or an argument; nothing was done
    no_server = 121,    ///< none could be reached
    not_acquired = 122, ///< others had the lock, or the wait was stopped
    lost = 123,         ///< the lock was lost before the program ended
    refused = 124,      ///< a server or the library refused: a right, a path, another kind of lock
    failed = 125,       ///< turnstile itself failed
    not_executable = 126,
    not_found = 127,
    signalled = 128, ///< plus the number of the signal
};

constexpr int signalled_by(int signal) { return static_cast<int>(exit_code::signalled) + signal; }

} // namespace turnstile::command
