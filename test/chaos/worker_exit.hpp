// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace turnstile::chaos {

/// A worker's exit code is the number of its contenders that were not served; above this, it
/// failed.
inline constexpr int most_not_served = 100;
inline constexpr int worker_failed = 101;

} // namespace turnstile::chaos
