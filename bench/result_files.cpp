// SPDX-License-Identifier: BSL-1.0
#include "result_files.hpp"

#include "figure.hpp"
#include "quantile.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace turnstile::bench {

namespace {

constexpr const char* how_to = "; `turnstile-bench suite --json FILE` writes such a file";

std::string name_of(const nlohmann::json& row) {
    auto name = row.at("scenario").get<std::string>() + ' ' + row.at("strategy").get<std::string>();
    const auto is_mutex = [](const auto& key, const auto& value) { // of rows before there were more
        return key == "lock" && value == "mutex";
    };
    for (const auto& [key, value] : row.items())
        if (key != "scenario" && key != "strategy" && is_known_by(key) && !is_mutex(key, value))
            name += ' ' + key + '=' + (value.is_string() ? value.get<std::string>() : value.dump());
    return name;
}

void add_row(side& to, const nlohmann::json& row) {
    auto& known = to[name_of(row)];
    for (const auto& [key, value] : row.items())
        if (figure_of(key))
            known[key].runs.push_back(value.get<double>());
    if (!row.contains("blocks"))
        return;
    for (const auto& [key, values] : row.at("blocks").items()) {
        const auto more = values.get<std::vector<double>>();
        if (more.empty())
            continue;
        // Laid around the figure: a median of blocks is not quite the median of what is in them.
        const double shift = row.at(key).get<double>() - median(more);
        for (const double each : more)
            known[key].blocks.push_back(each + shift);
    }
}

} // namespace

void add_rows(side& to, const nlohmann::json& array, const std::string& file) {
    if (!array.is_array())
        throw std::runtime_error(file + " holds no array of rows" + how_to);
    if (array.empty())
        throw std::runtime_error(file + " holds no rows" + how_to);
    try {
        for (const auto& row : array)
            add_row(to, row);
    } catch (const nlohmann::json::exception& e) {
        throw std::runtime_error(file + " holds something else than rows: " + e.what() + how_to);
    }
}

side read_side(const std::vector<std::string>& files) {
    side result;
    for (const auto& file : files) {
        std::ifstream in(file);
        if (!in)
            throw std::runtime_error("cannot read " + file + ": " +
                                     std::generic_category().message(errno) + how_to);
        nlohmann::json array;
        try {
            array = nlohmann::json::parse(in);
        } catch (const nlohmann::json::exception& e) {
            throw std::runtime_error(file + " is no JSON: " + e.what() + how_to);
        }
        add_rows(result, array, file);
    }
    return result;
}

} // namespace turnstile::bench
