// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "connection_options.hpp"
#include "finding.hpp"

namespace turnstile::command {

/// Says whether the host's guard takes the registration of a session. Empty if no guard is named.
findings findings_of_guard(const connection_options& how);

} // namespace turnstile::command
