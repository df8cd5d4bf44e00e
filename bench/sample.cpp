// SPDX-License-Identifier: BSL-1.0
#include "sample.hpp"

#include <algorithm>
#include <cmath>

namespace turnstile::bench {

double sample::percentile(double share) const {
    if (times_.empty())
        return 0;
    auto sorted = times_;
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    const auto nth =
        sorted.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
    std::nth_element(sorted.begin(), nth, sorted.end());
    return *nth;
}

std::vector<double> sample::percentiles(double share, std::size_t parts) const {
    std::vector<double> result;
    if (parts < 2)
        return result;
    for (std::size_t i = 0; i < parts; ++i) {
        sample part;
        part.times_.assign(times_.begin() + static_cast<std::ptrdiff_t>(count() * i / parts),
                           times_.begin() + static_cast<std::ptrdiff_t>(count() * (i + 1) / parts));
        result.push_back(part.percentile(share));
    }
    return result;
}

} // namespace turnstile::bench
