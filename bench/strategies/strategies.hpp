// SPDX-License-Identifier: BSL-1.0
// The ways to wait that a scenario can be run with.
#pragma once

#include "herd_exclusive.hpp"
#include "herd_shared.hpp"
#include "herd_single_node.hpp"
#include "listing.hpp"
#include "measured_lock.hpp"

#include "lock_choice.hpp"

namespace turnstile::bench {

using strategies = kind_list<herd_exclusive, herd_shared, herd_single_node, listing>;

/// `measure.operator()<Lock>()` with Turnstile's own kind, or with another way to wait.
template <class Measure>
rows with_lock(const lock_choice& choice, const Measure& measure) {
    if (choice.is_turnstile())
        return lock_kinds::with(choice.kind, measure);
    return strategies::with(choice.strategy, measure);
}

} // namespace turnstile::bench
