// SPDX-License-Identifier: BSL-1.0
// Measured times, and what is said of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace turnstile::bench {

using clock = std::chrono::steady_clock;
using microseconds = std::chrono::duration<double, std::micro>;

class sample {
public:
    void add(clock::duration taken) { times_.push_back(microseconds(taken).count()); }
    std::size_t count() const { return times_.size(); }
    /// Nearest rank, in microseconds; 0 < share <= 1. Nothing measured: 0.
    double percentile(double share) const;
    /// The same of each of so many parts, one after the other in time. Fewer than two parts: none.
    std::vector<double> percentiles(double share, std::size_t parts) const;

private:
    std::vector<double> times_;
};

} // namespace turnstile::bench
