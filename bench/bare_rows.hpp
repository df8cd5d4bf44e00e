// SPDX-License-Identifier: BSL-1.0
// The row of Turnstile, or of another way to wait, and those of the bare client beside it.
#pragma once

#include "lock_choice.hpp"
#include "row.hpp"
#include "sample.hpp"

namespace turnstile::bench {

/// Three rows from samples that were taken in turn. `ours` has what all of them are known by; what
/// else it has is Turnstile's alone.
rows beside_bare_client(row ours, const lock_choice& lock, const sample& times,
                        const sample& client, const sample& redirected);

} // namespace turnstile::bench
