// SPDX-License-Identifier: BSL-1.0
#include "order.hpp"

#include <tuple>

namespace turnstile::promises {

void order::granted(const lock_kind& kind, acquire_id who, units takes, const place& its,
                    findings& out) {
    if (!kind.in_order)
        return;
    last* own = nullptr;
    for (auto& each : last_) {
        if (kind.exclude(each.takes, takes) && each.where.queue == its.queue &&
            each.where.number > its.number)
            out.add(promise::order,
                    out.name(who) + " came first and was served after " + out.name(each.who));
        if (each.takes == takes)
            own = &each;
    }
    if (own == nullptr)
        last_.push_back({.takes = takes, .where = its, .who = who});
    else if (std::tie(own->where.queue, own->where.number) < std::tie(its.queue, its.number))
        *own = {.takes = takes, .where = its, .who = who};
}

} // namespace turnstile::promises
