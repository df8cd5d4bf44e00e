// SPDX-License-Identifier: BSL-1.0
// What a chaos run must have had to prove anything: enough acquisitions, and faults of each kind.
// run_chaos() asks once the run is over. turnstile-check says from the histories whether promises
// were kept.
#pragma once

#include "chaos_run.hpp"
#include "run_options.hpp"

#include <cstdint>

namespace turnstile::chaos {

/// How many acquisitions a run needs at least to prove anything.
[[nodiscard]] std::uint64_t least_acquisitions_of(const run_options& how);

/// Adds to `result.failures` each reason why the run proves nothing.
void judge(const run_options& how, run_result& result);

} // namespace turnstile::chaos
