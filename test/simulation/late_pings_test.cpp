// SPDX-License-Identifier: BSL-1.0
// How late the leader's pings may be before two holders believe in one lock: rows of the table in
// docs/internals/protocol/lease.md, each by 50 runs of the simulation. Holders write all the time,
// and one is left alone with its server just after its lease was proved.
#include "simulation.hpp"

#include "support/pch.hpp"

using namespace turnstile::test;

namespace {

// `ticks`: how many a session timeout T has. `stated`: the session is told how long a tick is.
// `late`: the lateness of pings, in eighths of a tick.
fault_plan plan_of(unsigned ticks, bool stated, unsigned late) {
    fault_plan plan;
    plan.ensemble = plan.partitioned_holders = plan.newly_proved = plan.single_path = true;
    plan.every_kind = plan.busy_beside = true;
    plan.ticks = ticks;
    plan.states_tick = stated;
    plan.late_pings = late;
    return plan;
}

// How many of 50 seeds break a promise under this plan.
int count_failures(const fault_plan& plan) {
    constexpr std::uint64_t seeds = 50;
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        simulation run(seed, plan);
        run.run();
        failures += run.violations().empty() ? 0 : 1;
    }
    return failures;
}

} // namespace

TEST_CASE("pings may be late by the gap less half a tick, and not by much more") {
    struct row {
        unsigned ticks;
        bool stated;
        unsigned borne;    // the lateness that the lease rule bears
        unsigned too_late; // a lateness by which some seed fails
    };
    const auto [ticks, stated, borne, too_late] =
        GENERATE(row{2, false, 2, 14}, row{2, true, 2, 14}, row{4, false, 8, 32},
                 row{4, true, 2, 24}, row{8, true, 2, 32}, row{20, true, 2, 64});
    INFO(ticks << " ticks, stated: " << stated);
    const auto plan = plan_of(ticks, stated, borne);
    CHECK(plan.lateness_borne() == borne);
    CHECK(count_failures(plan) == 0);
    CHECK(count_failures(plan_of(ticks, stated, too_late)) > 0);
}
