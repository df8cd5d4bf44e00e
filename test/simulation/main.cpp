// SPDX-License-Identifier: BSL-1.0
// turnstile-simulate: many seeds, or one with all that happened.
#include "all_mutants.hpp"
#include "mutant_hunt.hpp"
#include "seed_search.hpp"
#include "simulation.hpp"
#include "support/mutants.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace {

using namespace turnstile::test;
namespace protocol = turnstile::protocol;

int replay(std::uint64_t seed, protocol::mutant planted) {
    const auto plan = fault_plan::drawn_from(seed);
    simulation run(seed, plan, {.traced = true, .planted = planted});
    run.run();
    for (const auto& line : run.trace())
        std::cout << line << '\n';
    std::cout << "seed " << seed << ": " << plan.str() << ", " << run.grants() << " grants\n";
    for (const auto& violation : run.violations())
        std::cout << "VIOLATION: " << violation << '\n';
    return run.violations().empty() ? 0 : 1;
}

seed_search::failure_handler tell_on_output() {
    return [](const std::string& what) { std::cout << what << std::endl; };
}

// All layers are asked: some bugs no server gives a chance to show.
int hunt_one(const seed_search::range& where, protocol::mutant which) {
    const auto found = mutant_hunt(where, tell_on_output()).in_all_layers(which);
    std::cout << report_of(which, found) << std::endl;
    return found.layers().empty() ? 0 : 1;
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
    bool every_mutant = false;
    auto* mutants_flag =
        app.add_flag("--mutants", every_mutant,
                     "plant every known bug in turn, or that of --mutant; each must be found");
    bool until_caught = false;
    app.add_flag("--until-caught", until_caught,
                 "ask the layers for a bug from the cheapest on, up to the one that finds it")
        ->needs(mutants_flag);
    std::string mutant;
    app.add_option("--mutant", mutant, "plant this bug; the run fails where a layer finds it");
    CLI11_PARSE(app, argc, argv);
    auto planted = protocol::mutant::none;
    if (!mutant.empty()) {
        const auto known = mutant_of(mutant);
        if (!known) {
            std::cerr << "no mutant is named " << mutant
                      << "; src/protocol/mutation.hpp lists them\n";
            return 2;
        }
        planted = *known;
    }
    if (every_mutant) {
        where.from = where.most_failures = 1;
        const all_mutants hunt{.where = where,
                               .only = mutant.empty() ? std::nullopt : std::optional{planted},
                               .until_caught = until_caught};
        return hunt.hunt() ? 0 : 1;
    }
    if (one->count() > 0)
        return replay(seed, planted);
    if (!mutant.empty())
        return hunt_one(where, planted);

    const auto begin = std::chrono::steady_clock::now();
    seed_search search(where, protocol::mutant::none, tell_on_output());
    search.run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::cout << nlohmann::json{{"seeds", search.begun()},
                                {"violations", search.failed()},
                                {"grants", search.grants()},
                                {"multis", search.multis()},
                                {"multis_with_leases", search.multis_with_leases()},
                                {"upgrades", search.upgrades()},
                                {"downgrades", search.downgrades()},
                                {"seconds", took.count()}}
              << std::endl;
    return search.failed() == 0 ? 0 : 1;
}
