// SPDX-License-Identifier: BSL-1.0
// The exit codes of turnstile itself. A command that runs a program also passes that program's on.
#pragma once

#include <turnstile/error.hpp>

namespace turnstile::command {

/// All but `done` lie above the codes that programs use, and next to those of a shell that cannot
/// run a program. docs/command-line.md lists them for users.
enum class exit_code : int {
    done = 0,
    time_over = 119,    ///< the lock was held for the time of --at-most
    bad_usage = 120,    ///< an option or an argument is wrong; nothing was done
    no_server = 121,    ///< no server could be reached
    not_acquired = 122, ///< others had the lock, or the wait was stopped
    lost = 123,         ///< the lock was lost before the program ended
    refused = 124,      ///< a server or the library refused: a right, a path, another kind of lock
    failed = 125,       ///< turnstile itself failed
    not_executable = 126,
    not_found = 127,
    signalled = 128, ///< plus the number of the signal
};

/// The exit code for a lock that was lost for this reason.
inline exit_code loss_code(const error_code& why) {
    return why == error::held_too_long ? exit_code::time_over : exit_code::lost;
}

constexpr int signalled_by(int signal) { return static_cast<int>(exit_code::signalled) + signal; }

} // namespace turnstile::command
