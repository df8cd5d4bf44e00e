// SPDX-License-Identifier: BSL-1.0
#include "tokens.hpp"

#include <algorithm>

namespace turnstile::promises {

void tokens::granted(const lock_kind& kind, acquire_id who, units takes, const token& its,
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

} // namespace turnstile::promises
