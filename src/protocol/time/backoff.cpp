// SPDX-License-Identifier: BSL-1.0
#include "protocol/time/backoff.hpp"

#include <algorithm>

namespace turnstile::protocol {

duration backoff::next(const random_source& random, duration most) {
    bound_ = std::clamp(bound_ * 2, shortest_, std::max(shortest_, longest_));
    const auto half = std::max(shortest_, std::min(bound_, most)) / 2;
    const auto span = static_cast<std::uint64_t>(half.count()) + 1;
    return half + duration{static_cast<duration::rep>(random() % span)};
}

} // namespace turnstile::protocol
