// SPDX-License-Identifier: BSL-1.0
// Session machines against a modelled ensemble, under random work and random faults. The first case
// looks for broken promises. The others see that the seeds do enough of what the first one relies
// on. turnstile-simulate --seed N shows all that happened in one run.
#include "simulation.hpp"

#include "support/pch.hpp"

using namespace turnstile::test;

namespace {

constexpr std::uint64_t checked_seeds = 300; // from 1 on; CI runs 5,000 beside this

} // namespace

TEST_CASE("no seed finds two holders, a token that falls, a waiter forgotten or a ticket left") {
    constexpr int most_failures = 5; // more would say little
    std::size_t grants = 0;
    int failed = 0;
    for (std::uint64_t seed = 1; seed <= checked_seeds && failed < most_failures; ++seed) {
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
    for (const std::uint64_t seed : {3U, 14U, 159U, 2653U}) { // any four
        const auto plan = fault_plan::drawn_from(seed);
        simulation one(seed, plan, {.traced = true});
        simulation other(seed, plan, {.traced = true});
        one.run();
        other.run();
        CHECK(one.trace() == other.trace());
        CHECK(one.trace().size() > 100);
    }
}

TEST_CASE("seeds have several locks as one, and writers and readers that become the other") {
    std::size_t multis = 0; // how many seeds have such a grant, and so on
    std::size_t with_leases = 0;
    std::size_t downgraded = 0;
    std::size_t upgraded = 0;
    for (std::uint64_t seed = 1; seed <= checked_seeds; ++seed) {
        simulation run(seed, fault_plan::drawn_from(seed));
        run.run();
        multis += run.multis() > 0 ? 1 : 0;
        with_leases += run.multis_with_leases() > 0 ? 1 : 0;
        downgraded += run.downgrades() > 0 ? 1 : 0;
        upgraded += run.upgrades() > 0 ? 1 : 0;
    }
    CHECK(multis * 10 > checked_seeds * 9);
    CHECK(with_leases * 2 > checked_seeds);
    CHECK(downgraded * 2 > checked_seeds);
    CHECK(upgraded * 3 > checked_seeds);
}

TEST_CASE("seeds draw releases that are denied") {
    std::size_t denied = 0;
    for (std::uint64_t seed = 1; seed <= 750; ++seed) { // one in 16 of these has delete_denials
        const auto plan = fault_plan::drawn_from(seed);
        if (!plan.delete_denials)
            continue;
        simulation run(seed, plan, {.traced = true});
        run.run();
        for (const auto& line : run.trace())
            denied += line.find(" released ") != std::string::npos && line.ends_with("_denied");
    }
    CHECK(denied > 100);
}

TEST_CASE("seeds have writes under locks, and leaders that are followed") {
    std::size_t counted = 0; // writes under locks
    std::size_t told = 0;    // notices of a leader
    std::size_t asked = 0;   // requests to yield after which the ticket that was asked went
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        simulation run(seed, fault_plan::drawn_from(seed), {.traced = true});
        run.run();
        counted += run.counted();
        for (const auto& line : run.trace()) {
            told += line.find(" leads /") != std::string::npos ? 1 : 0;
            asked += line.find(" request to yield ends: none") != std::string::npos ? 1 : 0;
        }
    }
    CHECK(counted > 100);
    CHECK(told > 100);
    CHECK(asked > 10);
}
