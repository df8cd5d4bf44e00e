// SPDX-License-Identifier: BSL-1.0
// turnstile-truth: the model against a real server of its own, over many seeds; or one, with all
// that happened.
#include "truth_run.hpp"

#include "support/zookeeper_server.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>

namespace {

using namespace turnstile::test;

// Every so many seeds, one leaves sessions to expire.
constexpr std::uint64_t patience = 50;

truth_run run(const zookeeper_server& server, std::uint64_t seed) {
    return run_against_truth(server.address(), seed, seed % patience == 0);
}

void tell(std::uint64_t seed, const truth_run& which) {
    for (const auto& line : which.story)
        std::cout << line << '\n';
    std::cout << "seed " << seed << ": " << which.difference.value_or("no difference") << '\n';
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app{"Holds the modelled server against a real one."};
    std::uint64_t seed = 0;
    std::uint64_t seeds = 1000;
    std::uint64_t from = 1;
    auto* one = app.add_option("--seed", seed, "replay this seed, and print all that happens");
    app.add_option("--seeds", seeds, "how many seeds to run")
        ->excludes(one)
        ->check(CLI::PositiveNumber);
    app.add_option("--from", from, "the first of them");
    CLI11_PARSE(app, argc, argv);

    const zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    if (one->count() > 0) {
        const auto found = run(server, seed);
        tell(seed, found);
        return found.difference ? 1 : 0;
    }
    std::uint64_t differences = 0;
    std::uint64_t answers = 0;
    for (auto next = from; next < from + seeds && differences == 0; ++next) {
        const auto found = run(server, next);
        answers += found.answers;
        differences += found.difference ? 1 : 0;
        if (found.difference)
            tell(next, found);
    }
    std::cout << nlohmann::json{{"seeds", seeds}, {"answers", answers}, {"violations", differences}}
              << std::endl;
    return differences == 0 ? 0 : 1;
}
