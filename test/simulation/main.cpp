// turnstile-simulate: many seeds, one with all that happened, or all orders of a small world.
#include "all_mutants.hpp"
#include "mutant_hunt.hpp"
#include "seed_search.hpp"
#include "simulation.hpp"
#include "small_worlds/explorer.hpp"
#include "small_worlds/merge_check.hpp"
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

void tell_incomplete() {
    std::cerr << "the search is not complete: more states than --most-states\n";
}

int explore(const small_limits& limits, const explorer::settings& how) {
    const auto found = explorer::explore(limits, how);
    for (const auto& step : found.way)
        std::cout << step << '\n';
    for (const auto& violation : found.violations)
        std::cout << "VIOLATION: " << violation << '\n';
    std::cout << nlohmann::json{{"states", found.states},
                                {"ends", found.ends},
                                {"steps", found.steps},
                                {"complete", found.complete},
                                {"violations", found.violations.size()}}
              << std::endl;
    if (!found.complete && found.violations.empty())
        tell_incomplete();
    return found.violations.empty() && found.complete ? 0 : 1;
}

int check_merges(const small_limits& limits, std::uint64_t most_states, std::uint64_t walks,
                 std::uint64_t seed, const std::string& forgotten) {
    merge_check check(limits, forgotten);
    const auto found = walks > 0 ? check.walk(walks, seed) : check.exhaust(most_states);
    if (found.differs) {
        for (const auto& step : found.other_way)
            std::cout << step << '\n';
        std::cout << "has the same digest as\n";
        for (const auto& step : found.way)
            std::cout << step << '\n';
    }
    std::cout << nlohmann::json{{"pasts", found.pasts},       {"states", found.states},
                                {"merges", found.merges},     {"compared", found.steps},
                                {"complete", found.complete}, {"violations", found.differs ? 1 : 0}}
              << std::endl;
    if (!found.complete && !found.differs)
        tell_incomplete();
    return found.differs || !found.complete ? 1 : 0;
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
    bool everything = false;
    small_limits world;
    explorer::settings exploration{
        .progress = [](std::uint64_t states) { std::cerr << states << " states\n"; }};
    bool unreduced = false;
    app.add_flag("--explore", everything, "try every order of everything in a small world");
    app.add_option("--sessions", world.sessions, "of the small world")->check(CLI::PositiveNumber);
    app.add_option("--tickets", world.tickets, "of the small world")->check(CLI::PositiveNumber);
    app.add_option("--faults", world.faults, "of the small world");
    auto* readers =
        app.add_flag("--readers", world.readers,
                     "every mix of readers and writers in the small world, not writers alone");
    auto* upgrades = app.add_flag("--upgrades", world.upgrades,
                                  "readers of the small world may try to become writers");
    auto* downgrades = app.add_flag("--downgrades", world.downgrades,
                                    "writers of the small world may become readers");
    auto* single_node = app.add_flag_callback(
        "--single-node", [&world] { world.kind = small_kind::single_node; },
        "the small world has a lock of one node");
    auto* semaphore = app.add_flag_callback(
        "--semaphore", [&world] { world.kind = small_kind::semaphore; },
        "the small world has a semaphore: every mix of acquires of one and of two leases");
    semaphore->excludes(single_node);
    auto* multi = app.add_flag_callback(
        "--multi", [&world] { world.kind = small_kind::multi; },
        "the small world has two locks: every mix of acquires of both as one, and of one of them");
    multi->excludes(single_node)->excludes(semaphore);
    upgrades->needs(readers);
    for (auto* of_lines : {readers, upgrades, downgrades})
        of_lines->excludes(single_node)->excludes(semaphore)->excludes(multi);
    app.add_option("--limit", world.leases, "so many leases has that semaphore")
        ->needs(semaphore)
        ->check(CLI::PositiveNumber);
    app.add_flag("--makes-semaphore", world.makes_semaphore, "its nodes are not there at the start")
        ->needs(semaphore);
    app.add_option("--most-states", exploration.most_states, "stop after so many")
        ->check(CLI::PositiveNumber);
    app.add_flag("--unreduced", unreduced, "of orders that lead to the same, try all");
    app.add_flag("--by-past", exploration.by_past, "tell states by what led to them");
    bool merges = false;
    std::uint64_t walks = 0;
    app.add_flag("--check-merges", merges,
                 "states that count as one go on in the same ways: all pasts, or those of --walks");
    app.add_option("--walks", walks, "so many runs that choose at random")
        ->check(CLI::PositiveNumber);
    app.add_option("--forget", exploration.forgotten,
                   "a part of the states that is left out of them");
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
    exploration.reduced = !unreduced;
    world.planted = planted;
    if (merges)
        return check_merges(world, exploration.most_states, walks, where.from,
                            exploration.forgotten);
    if (everything)
        return explore(world, exploration);
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
