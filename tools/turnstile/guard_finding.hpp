// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "connection_options.hpp"
#include "finding.hpp"

namespace turnstile::command {

/// Whether the host's guard takes the registration of a session. Nothing where none is named.
findings findings_of_guard(const connection_options& how);

} // namespace turnstile::command
