// SPDX-License-Identifier: BSL-1.0
// turnstile-simulate: runs many seeds, or one seed and prints all that happened.
#include "seed_search.hpp"
#include "simulation.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

namespace {

using namespace turnstile::test;

int replay(std::uint64_t seed) {
    const auto plan = fault_plan::drawn_from(seed);
    simulation run(seed, plan, {.traced = true});
    run.run();
    for (const auto& line : run.trace())
        std::cout << line << '\n';
    std::cout << "seed " << seed << ": " << plan.str() << ", " << run.grants() << " grants\n";
    for (const auto& violation : run.violations())
        std::cout << "VIOLATION: " << violation << '\n';
    return run.violations().empty() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app{"Runs Turnstile's protocol against a modelled ensemble under random faults."};
    std::uint64_t seed = 0;
    seed_search::range where{.seeds = 10'000,
                             .most_failures = 10,
                             .threads = std::max(1U, std::thread::hardware_concurrency())};
    auto* one = app.add_option("--seed", seed, "replay this seed, and print all that happens");
    app.add_option("--seeds", where.seeds, "how many seeds to run")
        ->excludes(one)
        ->check(CLI::PositiveNumber);
    app.add_option("--from", where.from, "the first of them");
    app.add_option("--most-failures", where.most_failures, "stop after so many seeds that failed")
        ->check(CLI::PositiveNumber);
    app.add_option("--threads", where.threads)->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    if (one->count() > 0)
        return replay(seed);

    const auto begin = std::chrono::steady_clock::now();
    seed_search search(where, [](const std::string& what) { std::cout << what << std::endl; });
    search.run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::cout << nlohmann::json{{"seeds", search.begun()},
                                {"violations", search.failed()},
                                {"grants", search.grants()},
                                {"multis", search.multis()},
                                {"multis_with_leases", search.multis_with_leases()},
                                {"upgrades", search.upgrades()},
                                {"downgrades", search.downgrades()},
                                {"counted", search.counted()},
                                {"seconds", took.count()}}
              << std::endl;
    return search.failed() == 0 ? 0 : 1;
}
