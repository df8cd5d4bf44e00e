// SPDX-License-Identifier: BSL-1.0
#include "bare_rows.hpp"

#include "bare_api.hpp"

#include <utility>

namespace turnstile::bench {

rows beside_bare_client(row ours, const lock_choice& lock, const sample& times,
                        const sample& client, const sample& redirected) {
    ours.strategy = lock.strategy;
    ours.lock = lock.kind;
    if (lock.kind == "semaphore")
        ours.permits = lock.size;
    else if (lock.kind == "multi")
        ours.parts = lock.size;
    row bare{.scenario = ours.scenario,
             .strategy = plain_api.strategy,
             .lock = ours.lock,
             .permits = ours.permits,
             .parts = ours.parts,
             .waiters = ours.waiters,
             .sessions = ours.sessions,
             .cold = ours.cold};
    auto other = bare;
    other.strategy = redirected_api.strategy;
    ours.set_times(times);
    ours.set_ratio(times, client);
    bare.set_times(client);
    other.set_times(redirected);
    other.set_ratio(redirected, client);
    return {std::move(ours), std::move(bare), std::move(other)};
}

} // namespace turnstile::bench
