// SPDX-License-Identifier: BSL-1.0
#include "matrix_run.hpp"

#include "scenario.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <mutex>
#include <thread>

namespace turnstile::matrix {
namespace {

std::vector<std::string> run(const server_set& where, const cell& what, std::uint64_t seed) {
    try {
        return scenario{where, what, seed}.run();
    } catch (const std::exception& e) {
        return {std::string{"could not begin: "} + e.what()};
    }
}

/// Lines of several threads, one after another.
class teller {
public:
    explicit teller(bool verbose) : verbose_{verbose} {}

    void tell(const cell_result& result, std::chrono::milliseconds took) {
        const std::lock_guard lock{mutex_};
        if (verbose_)
            std::cerr << "matrix: " << result.what.name() << ": "
                      << (result.violations.empty() ? "good" : "BAD") << ", " << took.count()
                      << " ms\n";
        for (const auto& violation : result.violations)
            std::cerr << "matrix: " << result.what.name() << ": " << violation << '\n';
    }

private:
    std::mutex mutex_;
    bool verbose_;
};

} // namespace

std::vector<cell_result> run_all(const server_set& where, const std::vector<cell>& cells,
                                 const run_options& how) {
    std::vector<cell_result> results;
    for (const auto& each : cells)
        results.push_back({each, {}});
    teller out{how.verbose};
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    const auto work = [&] {
        for (auto i = next++; i < results.size(); i = next++) {
            const auto began = std::chrono::steady_clock::now();
            results[i].violations = run(where, results[i].what, how.seed);
            out.tell(results[i], std::chrono::duration_cast<std::chrono::milliseconds>(
                                     std::chrono::steady_clock::now() - began));
            ++done;
            done.notify_all();
        }
    };
    std::vector<std::jthread> threads;
    // One more with each cell that is done: servers that have just started take seconds for what so
    // many ask of them for the first time.
    for (std::size_t i = 0; i < std::min(how.at_once, results.size()); ++i) {
        threads.emplace_back(work);
        for (auto so_far = done.load(); so_far <= i; so_far = done.load())
            done.wait(so_far);
    }
    threads.clear(); // waits for them
    return results;
}

} // namespace turnstile::matrix
