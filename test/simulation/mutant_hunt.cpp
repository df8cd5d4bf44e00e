// SPDX-License-Identifier: BSL-1.0
#include "mutant_hunt.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {
namespace {

/// Most bugs show in so few seeds, and these cost less than the unit tests do.
constexpr std::uint64_t cheap_seeds = 100;

} // namespace

std::vector<std::string_view> mutant_catch::layers() const {
    std::vector<std::string_view> result;
    if (seeds)
        result.emplace_back("simulation");
    if (units)
        result.emplace_back("unit");
    return result;
}

mutant_hunt::mutant_hunt(const seed_search::range& where, seed_search::failure_handler on_failure)
    : where_(where), on_failure_(std::move(on_failure)) {}

std::optional<std::uint64_t> mutant_hunt::seeds(protocol::mutant planted,
                                                const seed_search::range& where) const {
    seed_search simulated(where, planted, on_failure_);
    simulated.run();
    return simulated.failed() > 0 ? std::optional{simulated.begun()} : std::nullopt;
}

mutant_catch mutant_hunt::in_all_layers(protocol::mutant planted) const {
    return {.seeds = seeds(planted, where_), .units = units_.finds(planted)};
}

mutant_catch mutant_hunt::until_caught(protocol::mutant planted) const {
    mutant_catch result;
    auto few = where_;
    few.seeds = std::min(few.seeds, cheap_seeds);
    result.seeds = seeds(planted, few);
    if (result.layers().empty())
        result.units = units_.finds(planted);
    if (result.layers().empty())
        result.seeds = seeds(planted, where_);
    return result;
}

} // namespace turnstile::test
