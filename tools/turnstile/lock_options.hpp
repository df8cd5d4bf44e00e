// SPDX-License-Identifier: BSL-1.0
// What the commands that take a lock have in common on the command line.
#pragma once

#include "connection_options.hpp"
#include "exit_code.hpp"
#include "wanted_lock.hpp"

#include <string>

namespace turnstile::command {

struct lock_options {
    connection_options connection{};
    lock_wish lock{};
    std::string label{};
    int conflict_code = static_cast<int>(exit_code::not_acquired); ///< where it was not acquired
    bool quiet = false;
    std::string on_lost{}; ///< a line for a shell; empty: none

    void add_to(CLI::App& app);
    /// What `run` and `hold` do about a loss.
    void add_loss_to(CLI::App& app);
    /// Throws command_failure.
    session_options for_session() const;
};

} // namespace turnstile::command
