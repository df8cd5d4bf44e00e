// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "chaos_run.hpp"
#include "run_options.hpp"

#include <cstdint>

namespace turnstile::chaos {

/// How many acquisitions a run needs at least to prove anything.
[[nodiscard]] std::uint64_t least_of(const run_options& how);

/// Adds to the failures why the run proves nothing. (Whether promises were kept in it, the checker
/// says, from the histories.)
void judge(const run_options& how, run_result& result);

} // namespace turnstile::chaos
