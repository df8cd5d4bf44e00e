// SPDX-License-Identifier: BSL-1.0
#include "served.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::promises {

void check_served(acquire_id who, const life& of, findings& out) {
    if (of.now == stage::waiting)
        out.add(promise::served, who, "never served, and never failed");
    else if (of.now == stage::held)
        out.add(promise::served, who, "neither released nor lost at the end");
    else if (of.now == stage::releasing)
        out.add(promise::served, who, "its release never ended");
}

bool queue_watch::finds_forgotten(const lock_kind& kind, std::vector<ticket> standing, instant now,
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

} // namespace turnstile::promises
