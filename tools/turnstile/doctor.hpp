// SPDX-License-Identifier: BSL-1.0
// turnstile doctor: says whether locks can work with these servers.
#pragma once

#include "path_command.hpp"

namespace turnstile::command {

struct doctor_options : path_options {
    void add_to(CLI::App& app);
};

/// Returns 0 if all is well, 1 with warnings, 2 with errors. Throws command_failure.
int doctor(const doctor_options& how);

} // namespace turnstile::command
