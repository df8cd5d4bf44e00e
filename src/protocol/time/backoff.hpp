// SPDX-License-Identifier: BSL-1.0
// The pauses between attempts to connect: they grow, and are random.
#pragma once

#include "protocol/time/instant.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace turnstile::protocol {

/// Draws a number. It is handed in, so that a simulation can replay a run to the bit.
using random_source = std::function<std::uint64_t()>;

/// The bound of a delay begins at `shortest`, and doubles with each delay, up to `longest`. A delay
/// is drawn evenly between half the bound and the bound. Delays near zero would bring all sessions
/// that lost one server to the next one at once.
class backoff {
public:
    backoff(duration shortest, duration longest) : shortest_(shortest), longest_(longest) {}

    /// The next delay. `most` limits its bound, but not to less than `shortest`.
    duration next(const random_source& random, duration most = duration::max()) {
        bound_ = std::clamp(bound_ * 2, shortest_, std::max(shortest_, longest_));
        const auto half = std::max(shortest_, std::min(bound_, most)) / 2;
        const auto span = static_cast<std::uint64_t>(half.count()) + 1;
        return half + duration{static_cast<duration::rep>(random() % span)};
    }
    /// The next delay is a short one again.
    void reset() { bound_ = duration::zero(); }

private:
    duration shortest_;
    duration longest_;
    duration bound_{}; // of the last delay; 0: there was none
};

} // namespace turnstile::protocol
