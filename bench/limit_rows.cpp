#include "limit_rows.hpp"

#include "limit_api.hpp"

#include <utility>

namespace turnstile::bench {

rows beside_limit(row ours, const lock_choice& lock, const sample& times, const sample& limit,
                  const sample& redirected) {
    ours.strategy = lock.strategy;
    ours.lock = lock.kind;
    if (lock.kind == "semaphore")
        ours.leases = lock.size;
    else if (lock.kind == "multi")
        ours.parts = lock.size;
    row bare{.scenario = ours.scenario,
             .strategy = plain_api.strategy,
             .lock = ours.lock,
             .leases = ours.leases,
             .parts = ours.parts,
             .waiters = ours.waiters,
             .sessions = ours.sessions,
             .cold = ours.cold};
    auto other = bare;
    other.strategy = redirected_api.strategy;
    ours.set_times(times);
    ours.set_ratio(times, limit);
    bare.set_times(limit);
    other.set_times(redirected);
    other.set_ratio(redirected, limit);
    return {std::move(ours), std::move(bare), std::move(other)};
}

} // namespace turnstile::bench
