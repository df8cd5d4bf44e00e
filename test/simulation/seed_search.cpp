// SPDX-License-Identifier: BSL-1.0
#include "seed_search.hpp"

#include "simulation.hpp"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

namespace turnstile::test {

seed_search::seed_search(const range& which, failure_handler on_failure)
    : range_(which), on_failure_(std::move(on_failure)), next_(which.from) {}

void seed_search::run() {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < range_.threads; ++i)
        workers.emplace_back([this] { run_some(); });
}

std::uint64_t seed_search::begun() const {
    return std::min(next_.load() - range_.from, range_.seeds);
}

void seed_search::run_some() {
    while (failed_ < range_.most_failures) {
        const auto seed = next_++;
        if (seed >= range_.from + range_.seeds)
            return;
        const auto plan = fault_plan::drawn_from(seed);
        simulation run(seed, plan);
        run.run();
        grants_ += run.grants();
        multis_ += run.multis();
        multis_with_leases_ += run.multis_with_leases();
        upgrades_ += run.upgrades();
        downgrades_ += run.downgrades();
        counted_ += run.counted();
        if (run.violations().empty())
            continue;
        ++failed_;
        const std::lock_guard lock(telling_);
        on_failure_("seed " + std::to_string(seed) + " (" + plan.str() +
                    "): " + run.violations().front());
    }
}

} // namespace turnstile::test
