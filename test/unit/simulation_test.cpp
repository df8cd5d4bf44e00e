// Three session machines against a modelled ensemble, under random work and random faults.
#include "simulation.hpp"

#include "support/pch.hpp"

#include <cstdlib>
#include <iostream>

using namespace turnstile::test;

namespace {

// TURNSTILE_SEED=<n> runs one seed and prints all that happened; TURNSTILE_SEEDS=<n> runs so many.
const char* chosen_seed() { return std::getenv("TURNSTILE_SEED"); }
std::uint64_t seeds() {
    const auto text = std::getenv("TURNSTILE_SEEDS");
    return text ? std::strtoull(text, nullptr, 10) : 4000;
}

void run_traced(std::uint64_t seed, const fault_plan& plan) {
    simulation run(seed, plan, true);
    run.run();
    for (const auto& line : run.trace())
        std::cout << line << '\n';
    for (const auto& violation : run.violations())
        std::cout << violation << '\n';
}

} // namespace

TEST_CASE("no seed finds two holders, a token that falls, a waiter forgotten or a ticket left") {
    if (const auto seed = chosen_seed()) {
        const auto number = std::strtoull(seed, nullptr, 10);
        return run_traced(number, fault_plan::drawn_from(number));
    }
    std::size_t grants = 0;
    int failed = 0;
    for (std::uint64_t seed = 1; seed <= seeds() && failed < 5; ++seed) {
        const auto plan = fault_plan::drawn_from(seed);
        simulation run(seed, plan);
        run.run();
        grants += run.grants();
        if (run.violations().empty())
            continue;
        ++failed;
        FAIL_CHECK("seed " << seed << " (" << plan.str() << " ): " << run.violations().front());
    }
    CHECK(grants > 50000); // work was done
}
