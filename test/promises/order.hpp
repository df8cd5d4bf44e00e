// SPDX-License-Identifier: BSL-1.0
// First come, first served, in the queue of one lock.
#pragma once

#include "findings.hpp"

#include <tuple>
#include <vector>

namespace turnstile::promises {

/// In the order of time, grants that exclude each other come in the order of their places, as long
/// as it is the same queue. A grant that was told in an excused time is not shown here: it may have
/// come late.
class order {
public:
    void granted(const lock_kind& kind, acquire_id who, units takes, const place& its,
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

private:
    struct last {
        units takes = 0;
        place where{};
        acquire_id who = 0;
    };
    std::vector<last> last_; // the furthest place of those who take as much, in the newest queue
};

} // namespace turnstile::promises
