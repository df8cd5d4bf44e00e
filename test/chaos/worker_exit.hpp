// SPDX-License-Identifier: BSL-1.0
// The exit codes of turnstile-chaos-worker, which worker_process reads.
#pragma once

namespace turnstile::chaos {

/// Up to here the code is the number of contenders that were not served. More of them count as so
/// many.
inline constexpr int most_not_served = 100;
/// The worker has failed.
inline constexpr int worker_failed = 101;

} // namespace turnstile::chaos
