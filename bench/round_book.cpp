// SPDX-License-Identifier: BSL-1.0
#include "round_book.hpp"

#include "quantile.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace turnstile::bench {

namespace {

auto name_of(const row& r) {
    return std::tie(r.scenario, r.strategy, r.lock, r.waiters, r.sessions);
}

/// The figures that may differ from round to round.
const std::pair<const char*, std::optional<double> row::*> figures[]{
    {"p50_us", &row::p50_us},
    {"p90_us", &row::p90_us},
    {"p99_us", &row::p99_us},
    {"ratio_to_bare_client", &row::ratio_to_bare_client},
    {"p99_ratio_to_bare_client", &row::p99_ratio_to_bare_client},
    {"ratio_to_turnstile", &row::ratio_to_turnstile},
    {"requests_per_acquire", &row::requests_per_acquire},
    {"bytes_received_per_acquire", &row::bytes_received_per_acquire},
    {"bytes_sent_per_acquire", &row::bytes_sent_per_acquire},
    {"watch_events_per_release", &row::watch_events_per_release},
    {"waiters_woken_per_release", &row::waiters_woken_per_release},
    {"line_up_s", &row::line_up_s},
    {"drain_s", &row::drain_s},
};

/// Of each share, as far as all rounds have it.
std::vector<std::pair<double, double>> median_quantiles(const rows& rounds) {
    std::vector<std::pair<double, double>> result;
    for (std::size_t i = 0; i < rounds.front().quantiles_us.size(); ++i) {
        const auto share = rounds.front().quantiles_us[i].first;
        std::vector<double> values;
        for (const auto& each : rounds)
            if (i < each.quantiles_us.size() && each.quantiles_us[i].first == share)
                values.push_back(each.quantiles_us[i].second);
        if (values.size() == rounds.size())
            result.emplace_back(share, median(values));
    }
    return result;
}

row median_of(const rows& rounds) {
    auto result = rounds.front();
    result.blocks.clear();
    result.count = 0;
    for (const auto& each : rounds) {
        result.count += each.count;
        result.max_us = std::max(result.max_us, each.max_us);
        result.threads = std::max(result.threads, each.threads);
    }
    for (const auto& [name, figure] : figures) {
        std::vector<double> values;
        for (const auto& each : rounds)
            if (each.*figure)
                values.push_back(*(each.*figure));
        if (values.empty())
            continue;
        result.*figure = median(values);
        result.blocks[name] = std::move(values);
    }
    result.quantiles_us = median_quantiles(rounds);
    return result;
}

} // namespace

void round_book::add(row measured) {
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const rows& each) {
        return name_of(each.front()) == name_of(measured);
    });
    if (known == all_.end())
        all_.push_back({std::move(measured)});
    else
        known->push_back(std::move(measured));
}

rows round_book::medians() const {
    rows result;
    for (const auto& each : all_)
        result.push_back(median_of(each));
    return result;
}

} // namespace turnstile::bench
