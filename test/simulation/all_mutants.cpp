// SPDX-License-Identifier: BSL-1.0
#include "all_mutants.hpp"

#include "support/mutants.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstddef>
#include <iostream>
#include <string>
#include <syncstream>
#include <thread>
#include <vector>

namespace turnstile::test {
namespace {

std::vector<protocol::mutant> asked(std::optional<protocol::mutant> only) {
    if (only)
        return {*only};
    std::vector<protocol::mutant> result;
    for (const auto& [name, which] : mutants)
        result.push_back(which);
    return result;
}

void tell(protocol::mutant which, const std::vector<std::string_view>& layers) {
    std::osyncstream out(std::cerr);
    out << name_of(which) << (layers.empty() ? ": NOT CAUGHT" : ": caught by");
    for (const auto layer : layers)
        out << ' ' << layer;
    out << '\n';
}

} // namespace

nlohmann::json report_of(protocol::mutant which, const mutant_catch& found) {
    return {{"name", name_of(which)},
            {"caught_by", found.layers()},
            {"seeds", found.seeds ? nlohmann::json(*found.seeds) : nlohmann::json()}};
}

bool all_mutants::hunt() const {
    auto of_one = where;
    of_one.threads = 1;
    const mutant_hunt hunt(
        of_one, [](const std::string& what) { std::osyncstream(std::cout) << what << '\n'; });
    const auto bugs = asked(only);
    std::vector<mutant_catch> found(bugs.size());
    std::atomic<std::size_t> next = 0;
    {
        std::vector<std::jthread> hunters;
        for (unsigned i = 0; i < where.threads; ++i)
            hunters.emplace_back([&] {
                for (std::size_t at = next++; at < bugs.size(); at = next++) {
                    found[at] =
                        until_caught ? hunt.until_caught(bugs[at]) : hunt.in_all_layers(bugs[at]);
                    tell(bugs[at], found[at].layers());
                }
            });
    }
    auto report = nlohmann::json::array();
    bool all = true;
    for (std::size_t at = 0; at < bugs.size(); ++at) {
        all = all && !found[at].layers().empty();
        report.push_back(report_of(bugs[at], found[at]));
    }
    std::cout << nlohmann::json{{"mutants", std::move(report)}} << std::endl;
    return all;
}

} // namespace turnstile::test
