#include "mutant_hunt.hpp"

#include "small_worlds/explorer.hpp"
#include "unit_layer.hpp"

namespace turnstile::test {

std::vector<std::string_view> mutant_catch::layers() const {
    std::vector<std::string_view> result;
    if (seeds)
        result.emplace_back("simulation");
    if (states)
        result.emplace_back("exploration");
    if (units)
        result.emplace_back("unit");
    return result;
}

mutant_catch hunt(protocol::mutant planted, const seed_search::range& where,
                  const seed_search::failure_handler& on_failure) {
    mutant_catch result;
    seed_search simulated(where, planted, on_failure);
    simulated.run();
    if (simulated.failed() > 0)
        result.seeds = simulated.begun();
    std::uint64_t states = 0;
    for (auto world : {hunted_world, hunted_readers, hunted_downgrades}) {
        world.planted = planted;
        const auto explored = explorer::explore(world, {});
        states += explored.states;
        if (explored.violations.empty())
            continue;
        result.states = states;
        break;
    }
    // What fails without a bug shows none.
    result.units = !unit_tests_pass(planted) && unit_tests_pass(protocol::mutant::none);
    return result;
}

} // namespace turnstile::test
