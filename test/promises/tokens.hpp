// SPDX-License-Identifier: BSL-1.0
// The fencing tokens of one lock.
#pragma once

#include "findings.hpp"

#include <vector>

namespace turnstile::promises {

/// In the order of time, the tokens of grants that exclude each other rise. A grant that was told
/// in an excused time is not shown here: it may have come late.
class tokens {
public:
    struct newest {
        units takes = 0;
        promises::token token{};
        acquire_id who = 0;
    };

    void granted(const lock_kind& kind, acquire_id who, units takes, const token& its,
                 findings& out);

    /// The largest so far, of those who take as much.
    const std::vector<newest>& largest() const { return largest_; }

private:
    std::vector<newest> largest_;
};

} // namespace turnstile::promises
