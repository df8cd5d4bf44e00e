// SPDX-License-Identifier: BSL-1.0
// How late the leader's pings may be before two holders believe in one lock: the table of
// docs/internals/protocol/lease.md.
#include "simulation.hpp"

#include "support/pch.hpp"

using namespace turnstile::test;

namespace {

// Holders write all the time, and are cut off just after a proof.
fault_plan plan_of(unsigned ticks, bool stated, unsigned late) {
    fault_plan plan;
    plan.ensemble = plan.partitioned_holders = plan.newly_proved = plan.single_path = true;
    plan.every_kind = plan.busy_beside = true;
    plan.ticks = ticks;
    plan.states_tick = stated;
    plan.late_pings = late;
    return plan;
}

int overlaps(const fault_plan& plan, std::uint64_t seeds) {
    int result = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        simulation run(seed, plan);
        run.run();
        result += run.violations().empty() ? 0 : 1;
    }
    return result;
}

} // namespace

TEST_CASE("pings may be late by the gap less half a tick, and not by much more") {
    struct row {
        unsigned ticks; // of T
        bool stated;
        unsigned borne; // in eighths of a tick
        unsigned too_late;
    };
    const auto [ticks, stated, borne, too_late] =
        GENERATE(row{2, false, 2, 14}, row{2, true, 2, 14}, row{4, false, 8, 32},
                 row{4, true, 2, 24}, row{8, true, 2, 32}, row{20, true, 2, 64});
    INFO(ticks << " ticks, stated: " << stated);
    const auto plan = plan_of(ticks, stated, borne);
    CHECK(plan.lateness_borne() == borne);
    CHECK(overlaps(plan, 50) == 0);
    CHECK(overlaps(plan_of(ticks, stated, too_late), 50) > 0);
}
