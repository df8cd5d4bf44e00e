// SPDX-License-Identifier: BSL-1.0
// First come, first served, in the queue of one lock.
#pragma once

#include "findings.hpp"

#include <vector>

namespace turnstile::promises {

/// In the order of time, grants that exclude each other come in the order of their places, as long
/// as it is the same queue. A grant that was told in an excused time is not shown here: it may have
/// come late.
class order {
public:
    void granted(const lock_kind& kind, acquire_id who, units takes, const place& its,
                 findings& out);

private:
    struct last {
        units takes = 0;
        place where{};
        acquire_id who = 0;
    };
    std::vector<last> last_; // the furthest place of those who take as much, in the newest queue
};

} // namespace turnstile::promises
