// SPDX-License-Identifier: BSL-1.0
// At the end of a run everybody was served, and nobody waits in the meantime for nothing.
#pragma once

#include "findings.hpp"
#include "once.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace turnstile::promises {

/// Of an acquire, when the run is over and all could be served.
inline void check_served(acquire_id who, const life& of, findings& out) {
    if (of.now == stage::waiting)
        out.add(promise::served, who, "never served, and never failed");
    else if (of.now == stage::held)
        out.add(promise::served, who, "neither released nor lost at the end");
    else if (of.now == stage::releasing)
        out.add(promise::served, who, "its release never ended");
}

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
                         instant patience) {
        std::sort(standing.begin(), standing.end(),
                  [](const ticket& a, const ticket& b) { return a.number < b.number; });
        const auto before = std::exchange(waiting_, {});
        units ahead = 0;
        for (const auto& each : standing) {
            if (!kind.fits(ahead, each.takes))
                break;
            ahead += each.takes;
            if (each.granted)
                continue;
            const auto known = before.find(each.id);
            waiting_[each.id] = known == before.end() ? now : known->second;
        }
        return std::any_of(waiting_.begin(), waiting_.end(),
                           [&](const auto& entry) { return now - entry.second > patience; });
    }

private:
    std::map<std::int64_t, instant> waiting_; // for nothing, since then; by id
};

} // namespace turnstile::promises
