// SPDX-License-Identifier: BSL-1.0
// Runs many seeds of the simulation, on several threads. turnstile-simulate (main.cpp) is its user.
#pragma once

#include "simulation.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace turnstile::test {

/// Runs a simulation for each seed of a range. run() returns when all have ended, or enough have
/// failed. The numbers are sums over all seeds that have ended, and may be read at any time.
class seed_search {
public:
    struct range {
        std::uint64_t from = 1;
        std::uint64_t seeds = 0;         // how many
        std::uint64_t most_failures = 1; // no seed is begun after so many failures
        unsigned threads = 1;
    };
    /// Called for each seed that failed, by one thread at a time.
    using failure_handler = std::function<void(const std::string& what)>;

    seed_search(const range& which, failure_handler on_failure)
        : range_(which), on_failure_(std::move(on_failure)), next_(which.from) {}

    void run() {
        std::vector<std::jthread> workers;
        for (unsigned i = 0; i < range_.threads; ++i)
            workers.emplace_back([this] { run_seeds(); });
    }

    /// How many seeds were begun.
    std::uint64_t begun() const { return std::min(next_.load() - range_.from, range_.seeds); }
    std::uint64_t failed() const { return failed_; }
    std::uint64_t grants() const { return grants_; }
    /// Grants of several locks as one.
    std::uint64_t multis() const { return multis_; }
    /// Those of them that have permits of a semaphore among their parts.
    std::uint64_t multis_with_leases() const { return multis_with_leases_; }
    std::uint64_t upgrades() const { return upgrades_; }
    std::uint64_t downgrades() const { return downgrades_; }
    /// Writes under locks that were carried out.
    std::uint64_t counted() const { return counted_; }

private:
    /// Each thread takes the next seed, until there is none.
    void run_seeds() {
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
            const std::lock_guard lock(reporting_);
            on_failure_("seed " + std::to_string(seed) + " (" + plan.str() +
                        "): " + run.violations().front());
        }
    }

    const range range_;
    const failure_handler on_failure_;
    std::atomic<std::uint64_t> next_; // the seed that nobody has taken yet
    std::atomic<std::uint64_t> grants_{0};
    std::atomic<std::uint64_t> multis_{0};
    std::atomic<std::uint64_t> multis_with_leases_{0};
    std::atomic<std::uint64_t> upgrades_{0};
    std::atomic<std::uint64_t> downgrades_{0};
    std::atomic<std::uint64_t> counted_{0};
    std::atomic<std::uint64_t> failed_{0};
    std::mutex reporting_; // one thread at a time calls on_failure_
};

} // namespace turnstile::test
