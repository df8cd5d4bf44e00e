// SPDX-License-Identifier: BSL-1.0
// At the end of a run everybody was served, and nobody waits in the meantime for nothing.
#pragma once

#include "findings.hpp"
#include "once.hpp"

#include <map>
#include <vector>

namespace turnstile::promises {

/// Of an acquire, when the run is over and all could be served.
void check_served(acquire_id who, const life& of, findings& out);

/// Sees the queue of one lock now and then. Whoever waits although all that stands before it may
/// hold the lock together with it is served within its patience. That holds where nothing goes
/// wrong: then it learns within a few round trips that the last one it waited for is gone.
class queue_watch {
public:
    struct ticket {
        std::int64_t id = 0; // of this ticket alone, in all of the run
        std::int64_t number = 0;
        units takes = 1;
        bool granted = false;
    };

    /// Whether somebody has waited for too long for nothing.
    bool finds_forgotten(const lock_kind& kind, std::vector<ticket> standing, instant now,
                         instant patience);

private:
    std::map<std::int64_t, instant> waiting_; // for nothing, since then; by id
};

} // namespace turnstile::promises
