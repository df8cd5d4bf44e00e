// SPDX-License-Identifier: BSL-1.0
#include "comparison.hpp"

#include "quantile.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace turnstile::bench {

namespace {

constexpr std::size_t fewest_for_a_range = 3;

/// Members of `a` that `b` lacks.
template <class Map>
std::vector<std::string> lacking(const Map& a, const Map& b, const std::string& prefix = {}) {
    std::vector<std::string> result;
    for (const auto& [name, value] : a)
        if (!b.contains(name))
            result.push_back(prefix + name);
    return result;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

compared_figure compare_figure(const std::string& row, const std::string& name,
                               const measured& base, const measured& now, bool row_has_ratio,
                               bool row_has_rate, bool of_peer, double least_share) {
    auto what = figure_of(name, row_has_rate).value_or(figure{});
    what.least_share = std::max(what.least_share, least_share);
    compared_figure result{
        .row = row, .name = name, .kind = what.kind, .base = range_of(base), .now = range_of(now)};
    result.said = judge(what, result.base, result.now);
    if (result.base.value != 0)
        result.ratio = result.now.value / result.base.value;
    const bool of_bare_client = row.find(" bare-client") != std::string::npos;
    result.counts =
        !of_bare_client && !of_peer && !(what.kind == figure_kind::time && row_has_ratio);
    return result;
}

} // namespace

range range_of(const measured& of) {
    const auto& parts = of.blocks.empty() ? of.runs : of.blocks;
    return {.value = median(of.runs),
            .low = quantile(parts, 0.25),
            .high = quantile(parts, 0.75),
            .known = parts.size() >= fewest_for_a_range};
}

verdict judge(const figure& what, const range& base, const range& now) {
    const double distance = std::abs(now.value - base.value);
    if (distance <= std::max(what.least_share * std::abs(base.value), what.least_distance))
        return verdict::same;
    if (what.kind != figure_kind::count && !(base.known && now.known))
        return verdict::unjudged;
    if (now.high < base.low)
        return what.more_is_better ? verdict::worse : verdict::better;
    if (now.low > base.high)
        return what.more_is_better ? verdict::better : verdict::worse;
    return verdict::same;
}

const char* compared_figure::word() const {
    const bool counted = kind == figure_kind::count;
    switch (said) {
    case verdict::better:
        return counted ? "fewer" : "faster";
    case verdict::worse:
        return counted ? "more" : "slower";
    case verdict::unjudged:
        return "unjudged";
    case verdict::same:
        break;
    }
    return "same";
}

std::size_t comparison::worse() const {
    return static_cast<std::size_t>(
        std::count_if(figures.begin(), figures.end(), [](const compared_figure& each) {
            return each.counts && each.said == verdict::worse;
        }));
}

comparison compare(const side& base, const side& now, double least_share) {
    comparison result;
    result.only_in_base = lacking(base, now);
    result.only_in_new = lacking(now, base);
    for (const auto& [row, before] : base) {
        const auto found = now.find(row);
        if (found == now.end())
            continue;
        const auto& after = found->second;
        append(result.only_in_base, lacking(before, after, row + ": "));
        append(result.only_in_new, lacking(after, before, row + ": "));
        const bool has_ratio =
            before.contains("ratio_to_bare_client") && after.contains("ratio_to_bare_client");
        const bool of_peer = before.contains("ratio_to_turnstile");
        for (const auto& [name, values] : before)
            if (const auto other = after.find(name); other != after.end())
                result.figures.push_back(compare_figure(row, name, values, other->second, has_ratio,
                                                        before.contains("per_s"), of_peer,
                                                        least_share));
    }
    if (result.figures.empty()) {
        std::string found;
        for (const auto& each : result.only_in_base)
            found += "\n  only in the base: " + each;
        for (const auto& each : result.only_in_new)
            found += "\n  only in the new:  " + each;
        throw std::runtime_error("no row is on both sides: measure the same scenarios, with the "
                                 "same waiters and sessions, for both" +
                                 found);
    }
    return result;
}

} // namespace turnstile::bench
