// SPDX-License-Identifier: BSL-1.0
// Jittered exponential back-off between connection attempts.
#pragma once

#include "protocol/time/instant.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace turnstile::protocol {

/// Handed in, so that a simulation can replay a run to the bit.
using random_source = std::function<std::uint64_t()>;

class backoff {
public:
    backoff(duration shortest, duration longest) : shortest_(shortest), longest_(longest) {}

    /// A delay drawn evenly between half the current bound and the bound, which then doubles: full
    /// jitter would allow delays near zero, and a fleet that lost one server would arrive at once.
    /// No bound above `most` counts for this delay, unless the shortest is above it.
    duration next(const random_source& random, duration most = duration::max()) {
        bound_ = std::clamp(bound_ * 2, shortest_, std::max(shortest_, longest_));
        const auto half = std::max(shortest_, std::min(bound_, most)) / 2;
        const auto span = static_cast<std::uint64_t>(half.count()) + 1;
        return half + duration{static_cast<duration::rep>(random() % span)};
    }
    void reset() { bound_ = duration::zero(); }

private:
    duration shortest_;
    duration longest_;
    duration bound_{};
};

} // namespace turnstile::protocol
