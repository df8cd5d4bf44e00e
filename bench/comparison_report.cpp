// SPDX-License-Identifier: BSL-1.0
#include "comparison.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace turnstile::bench {

namespace {

std::string spread(const range& of) {
    return of.known ? fmt::format("{:.5g} - {:.5g}", of.low, of.high) : std::string("-");
}

nlohmann::ordered_json described(const range& of) {
    nlohmann::ordered_json result{{"value", of.value}};
    if (of.known)
        result["quartiles"] = {of.low, of.high};
    return result;
}

} // namespace

void print_comparison(const comparison& result) {
    std::size_t width = 3;
    for (const auto& each : result.figures)
        width = std::max(width, each.row.size());
    fmt::print("{:<{}}  {:<34} {:>10} {:>10} {:>7}  {:<20} {:<20} {}\n", "row", width, "figure",
               "base", "new", "ratio", "base's spread", "new's spread", "verdict");
    for (const auto& each : result.figures)
        fmt::print("{:<{}}  {:<34} {:>10.5g} {:>10.5g} {:>7}  {:<20} {:<20} {}{}\n", each.row,
                   width, each.name, each.base.value, each.now.value,
                   each.ratio ? fmt::format("{:.3f}", *each.ratio) : std::string("-"),
                   spread(each.base), spread(each.now), each.word(),
                   each.said == verdict::worse && !each.counts ? " (does not count)" : "");
    for (const auto& each : result.only_in_base)
        fmt::print("only in the base: {}\n", each);
    for (const auto& each : result.only_in_new)
        fmt::print("only in the new: {}\n", each);
    const auto worse = result.worse();
    fmt::print("{}\n", worse == 0 ? std::string("nothing that counts got worse")
                                  : fmt::format("{} that count got worse", worse));
    if (std::any_of(result.figures.begin(), result.figures.end(),
                    [](const auto& each) { return each.said == verdict::unjudged; }))
        fmt::print("unjudged: too few values to know the spread; give three runs or more per side, "
                   "with `--runs` or as several files\n");
}

void write_comparison(const comparison& result, const std::string& file) {
    auto compared = nlohmann::ordered_json::array();
    for (const auto& each : result.figures) {
        nlohmann::ordered_json object;
        object["row"] = each.row;
        object["figure"] = each.name;
        object["base"] = described(each.base);
        object["new"] = described(each.now);
        if (each.ratio)
            object["ratio"] = *each.ratio;
        object["verdict"] = each.word();
        object["worse"] = each.said == verdict::worse;
        object["counts"] = each.counts;
        compared.push_back(std::move(object));
    }
    const nlohmann::ordered_json all{{"figures", std::move(compared)},
                                     {"only_in_base", result.only_in_base},
                                     {"only_in_new", result.only_in_new},
                                     {"worse", result.worse()}};
    std::ofstream out(file);
    out << all.dump(2) << '\n';
    if (!out)
        throw std::runtime_error("cannot write " + file + ": check the folder and its rights");
}

} // namespace turnstile::bench
