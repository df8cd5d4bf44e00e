// SPDX-License-Identifier: BSL-1.0
// That a loss is told, in time, after a warning, and not for nothing.
#pragma once

#include "findings.hpp"

namespace turnstile::promises {

/// `excused`: while it was held, something happened that is not its fault.
void check_loss(acquire_id who, const loss& its, instant told, bool excused, findings& out);

} // namespace turnstile::promises
