// SPDX-License-Identifier: BSL-1.0
// The fencing tokens of one lock.
#pragma once

#include "findings.hpp"

#include <algorithm>
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
                 findings& out) {
        if (its == token{}) // which is below all others, and stands for nothing held
            out.add(promise::tokens, who, "its token is the empty one");
        if (!kind.tokens_grow)
            return;
        const newest* above = nullptr;
        newest* own = nullptr;
        for (auto& each : largest_) {
            if (kind.exclude(each.takes, takes) && its <= each.token &&
                (above == nullptr || above->token < each.token))
                above = &each;
            if (each.takes == takes)
                own = &each;
        }
        if (above != nullptr)
            out.add(promise::tokens, who, "its token falls, after " + out.name(above->who));
        if (own == nullptr)
            largest_.push_back({.takes = takes, .token = its, .who = who});
        else if (own->token < its)
            *own = {.takes = takes, .token = its, .who = who};
    }

    /// The largest so far, of those who take as much.
    const std::vector<newest>& largest() const { return largest_; }

private:
    std::vector<newest> largest_;
};

} // namespace turnstile::promises
