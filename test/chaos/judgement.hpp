// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "chaos_run.hpp"
#include "run_options.hpp"

#include <cstdint>

namespace turnstile::chaos {

/// Acquisitions below which a run proves nothing.
[[nodiscard]] std::uint64_t least_of(const run_options& how);

/// Adds to the failures what makes the run worth nothing. Whether promises were kept in it is the
/// checker's to say, from what was written down.
void judge(const run_options& how, run_result& result);

} // namespace turnstile::chaos
