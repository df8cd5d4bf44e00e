// SPDX-License-Identifier: BSL-1.0
// The options of all commands that take a lock.
#pragma once

#include "exit_code.hpp"
#include "options/connection_options.hpp"
#include "taking/wanted_lock.hpp"

#include <string>

namespace turnstile::command {

struct lock_options {
    connection_options connection{};
    lock_wish lock{};
    std::string label{};
    /// The exit code if others have the lock.
    int conflict_code = static_cast<int>(exit_code::not_acquired);
    bool quiet = false;    ///< it does not say that others have the lock
    std::string on_lost{}; ///< a line for sh(1), run at a loss; empty: none

    void add_to(CLI::App& app);
    /// Adds --at-most and --on-lost, which only some of the commands have.
    void add_loss_to(CLI::App& app);
    /// Makes the options of the session. Throws command_failure.
    session_options for_session() const;
};

} // namespace turnstile::command
