// SPDX-License-Identifier: BSL-1.0
// turnstile elect: runs a program while this candidate leads.
#pragma once

#include "run.hpp"

namespace turnstile::command {

struct elect_options : run_options {
    void add_to(CLI::App& app);
};

/// Does what `run` does. Returns the exit code. Throws command_failure.
inline int elect(const elect_options& how) { return run(how); }

} // namespace turnstile::command
