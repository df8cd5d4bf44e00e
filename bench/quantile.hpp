// SPDX-License-Identifier: BSL-1.0
// Quantiles of a few values. For the many of a timed run see sample.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace turnstile::bench {

/// Between ranks, the neighbours' values are weighed. `values` must not be empty.
inline double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const double rank = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(rank);
    const auto above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], rank - std::floor(rank));
}

inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

} // namespace turnstile::bench
