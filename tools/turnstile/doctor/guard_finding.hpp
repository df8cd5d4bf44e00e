// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "doctor/finding.hpp"
#include "options/connection_options.hpp"

namespace turnstile::command {

/// Says whether the host's guard takes the registration of a session. Empty if no guard is named.
findings findings_of_guard(const connection_options& how);

} // namespace turnstile::command
