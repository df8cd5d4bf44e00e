// SPDX-License-Identifier: BSL-1.0
// Session machines against a modelled ensemble, under random work and random faults.
// turnstile-simulate --seed N shows all that happened in a run.
#include "simulation.hpp"

#include "support/pch.hpp"

using namespace turnstile::test;

namespace {

constexpr std::uint64_t first = 1;
constexpr std::uint64_t last = 3000;
constexpr std::uint64_t last_without_bug = 300; // CI runs 10,000 beside this

// What the first seed tells that finds this bug under that plan.
std::string first_violation(const fault_plan& plan, turnstile::protocol::mutant planted) {
    for (auto seed = first; seed <= last; ++seed) {
        simulation run(seed, plan, {.planted = planted});
        run.run();
        if (!run.violations().empty())
            return run.violations().front();
    }
    return {};
}

} // namespace

TEST_CASE("no seed finds two holders, a token that falls, a waiter forgotten or a ticket left") {
    std::size_t grants = 0;
    int failed = 0;
    for (auto seed = first; seed <= last_without_bug && failed < 5; ++seed) {
        const auto plan = fault_plan::drawn_from(seed);
        simulation run(seed, plan);
        run.run();
        grants += run.grants();
        if (run.violations().empty())
            continue;
        ++failed;
        FAIL_CHECK("seed " << seed << " (" << plan.str() << "): " << run.violations().front());
    }
    CHECK(grants > 4500); // work was done
}

TEST_CASE("a seed does the same each time") {
    for (const std::uint64_t seed : {3U, 14U, 159U, 2653U}) {
        const auto plan = fault_plan::drawn_from(seed);
        simulation one(seed, plan, {.traced = true});
        simulation other(seed, plan, {.traced = true});
        one.run();
        other.run();
        CHECK(one.trace() == other.trace());
        CHECK(one.trace().size() > 100);
    }
}

TEST_CASE("light sessions beat with sync, and others never do") {
    fault_plan plan;
    plan.ensemble = GENERATE(true, false);
    simulation strict(1, plan);
    strict.run();
    CHECK(strict.violations().empty());
    CHECK(strict.syncs() == 0);
    CHECK(strict.checks() > 50);
    plan.light = plan.all_light = true;
    simulation light(1, plan);
    light.run();
    CHECK(light.violations().empty());
    CHECK(light.syncs() > 50);
    CHECK(light.checks() < strict.checks() / 4); // the first word on a connection, a stale grant
}

TEST_CASE("seeds draw light sessions, and never where a leader may go on without its majority") {
    std::size_t runs = 0;
    std::size_t syncs = 0;
    for (auto seed = first; seed <= last; ++seed) {
        const auto plan = fault_plan::drawn_from(seed);
        if (!plan.light)
            continue;
        CHECK_FALSE(plan.parts_servers());
        if (++runs > 100)
            continue;
        simulation run(seed, plan);
        run.run();
        syncs += run.syncs();
    }
    CHECK(runs > 100);
    CHECK(syncs > 2000);
}

TEST_CASE("seeds have several locks as one, and writers and readers that become the other") {
    constexpr std::size_t seeds = 300;
    std::size_t multis = 0;
    std::size_t with_leases = 0;
    std::size_t downgraded = 0;
    std::size_t upgraded = 0;
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
        simulation run(seed, fault_plan::drawn_from(seed));
        run.run();
        multis += run.multis() > 0 ? 1 : 0;
        with_leases += run.multis_with_leases() > 0 ? 1 : 0;
        downgraded += run.downgrades() > 0 ? 1 : 0;
        upgraded += run.upgrades() > 0 ? 1 : 0;
    }
    CHECK(multis * 10 > seeds * 9);
    CHECK(with_leases * 2 > seeds);
    CHECK(downgraded * 2 > seeds);
    CHECK(upgraded * 3 > seeds);
}

TEST_CASE("who takes several locks as they are named waits in a circle") {
    fault_plan plan;
    plan.every_kind = plan.busy_beside = true;
    const auto violation =
        first_violation(plan, turnstile::protocol::mutant::multi_ordered_as_named);
    CHECK(violation.ends_with("never served, and never failed"));
}

TEST_CASE("seeds draw releases that are denied, and waiters that may not wait behind them") {
    std::size_t denied = 0;
    std::size_t refused = 0;
    for (auto seed = first; seed <= last / 4; ++seed) {
        const auto plan = fault_plan::drawn_from(seed);
        if (!plan.delete_denials)
            continue;
        simulation run(seed, plan, {.traced = true});
        run.run();
        for (const auto& line : run.trace()) {
            const bool is_denied = line.ends_with("release_denied");
            denied += is_denied && line.find(" released ") != std::string::npos ? 1 : 0;
            refused += is_denied && line.find(" failed ") != std::string::npos ? 1 : 0;
        }
    }
    CHECK(denied > 100);
    CHECK(refused > 100);
}

TEST_CASE(
    "where an operator deletes tickets, those that stand are held to exclusion all the same") {
    fault_plan plan;
    plan.ticket_deletions = plan.single_path = true;
    const auto violation = first_violation(plan, turnstile::protocol::mutant::line_not_looked_at);
    CHECK(violation.find(" of /locks/a (token ") != std::string::npos);
    CHECK(violation.ends_with(" were both believed to be held"));
}

TEST_CASE("who deletes a node for its name alone meets one of another program") {
    fault_plan plan;
    plan.cuts = plan.foreign_twins = true;
    // What excuses a late downgrade excuses nothing else.
    plan.holds = plan.downgrades = GENERATE(false, true);
    const auto violation = first_violation(plan, turnstile::protocol::mutant::czxid_not_looked_at);
    CHECK(violation.ends_with(" was deleted, though another program had made it"));
}

TEST_CASE("who stays with a slow server while others are quick loses a lock for nothing") {
    fault_plan plan;
    plan.ensemble = plan.single_path = plan.slow_server = true;
    const auto violation = first_violation(plan, turnstile::protocol::mutant::slow_server_kept);
    CHECK(violation.find(" lost for nothing") != std::string::npos);
}

TEST_CASE("who takes a throttled barrier for one believes a server that was cut off") {
    fault_plan plan;
    plan.ensemble = plan.partitions = plan.impatient = plan.cuts = true;
    plan.throttled_barriers = true;
    CHECK(first_violation(plan, turnstile::protocol::mutant::throttled_barrier_counts) != "");
}

TEST_CASE("who is deleted while it waits holds nothing beside the next one") {
    fault_plan plan;
    plan.waiting_deletions = plan.single_path = true;
    using turnstile::protocol::mutant;
    const auto left_out = GENERATE(mutant::watches_itself_late, mutant::local_successor_unchecked);
    const auto violation = first_violation(plan, left_out);
    CHECK(violation.find(" believed to be held") != std::string::npos);
}

TEST_CASE("whoever waits for an event that was lost waits for ever") {
    fault_plan plan;
    plan.lost_events = plan.single_path = true;
    using turnstile::protocol::mutant;
    const auto left_out = GENERATE(mutant::predecessor_not_checked, mutant::watched_not_read_again);
    plan.single_nodes = left_out == mutant::watched_not_read_again;
    CHECK(first_violation(plan, left_out) != "");
}
