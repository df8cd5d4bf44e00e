// Session machines against a modelled ensemble, under random work and random faults.
// turnstile-simulate --seed N shows all that happened in a run.
#include "simulation.hpp"

#include "support/pch.hpp"

using namespace turnstile::test;

namespace {

constexpr std::uint64_t first = 1;
constexpr std::uint64_t last = 3000;

} // namespace

TEST_CASE("no seed finds two holders, a token that falls, a waiter forgotten or a ticket left") {
    std::size_t grants = 0;
    int failed = 0;
    for (auto seed = first; seed <= last && failed < 5; ++seed) {
        const auto plan = fault_plan::drawn_from(seed);
        simulation run(seed, plan);
        run.run();
        grants += run.grants();
        if (run.violations().empty())
            continue;
        ++failed;
        FAIL_CHECK("seed " << seed << " (" << plan.str() << "): " << run.violations().front());
    }
    CHECK(grants > 50000); // work was done
}

TEST_CASE("a seed does the same each time") {
    for (const std::uint64_t seed : {3, 14, 159, 2653}) {
        const auto plan = fault_plan::drawn_from(seed);
        simulation one(seed, plan, {.traced = true});
        simulation other(seed, plan, {.traced = true});
        one.run();
        other.run();
        CHECK(one.trace() == other.trace());
        CHECK(one.trace().size() > 100);
    }
}
