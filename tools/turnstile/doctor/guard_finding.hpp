// SPDX-License-Identifier: BSL-1.0
// What `turnstile doctor` says about the host's guard.
#pragma once

#include "doctor/finding.hpp"
#include "options/connection_options.hpp"

namespace turnstile::command {

/// Registers a session of its own with the host's guard, and returns what came of it. Empty if no
/// guard is named.
findings findings_of_guard(const connection_options& how);

} // namespace turnstile::command
