// SPDX-License-Identifier: BSL-1.0
// The options that all commands share which take a lock.
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
    int conflict_code =
        static_cast<int>(exit_code::not_acquired); ///< the exit code if the lock was not acquired
    bool quiet = false;
    std::string on_lost{}; ///< a line for sh(1), run at a loss; empty: none

    void add_to(CLI::App& app);
    /// Adds --at-most and --on-lost, which only some of the commands have.
    void add_loss_to(CLI::App& app);
    /// Throws command_failure.
    session_options for_session() const;
};

} // namespace turnstile::command
