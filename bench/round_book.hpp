// SPDX-License-Identifier: BSL-1.0
// Rows that were measured several times in one run, in rounds.
#pragma once

#include "row.hpp"

#include <vector>

namespace turnstile::bench {

class round_book {
public:
    void add(row measured);

    /// One row for each of those that are known by the same, in the order in which they came: each
    /// figure is the median of the rounds, and a block is a round.
    rows medians() const;

private:
    std::vector<rows> all_; // of one name each
};

} // namespace turnstile::bench
