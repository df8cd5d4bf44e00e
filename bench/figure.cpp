// SPDX-License-Identifier: BSL-1.0
#include "figure.hpp"

namespace turnstile::bench {

std::optional<figure> figure_of(std::string_view name, bool row_has_rate) {
    // An extreme of some thousand samples says nothing of the program.
    if (name == "max_us" || name == "quantiles_us")
        return {};
    if (name == "per_s")
        return figure{.kind = figure_kind::time, .least_share = 0.05, .more_is_better = true};
    if (name.ends_with("_us") || name.ends_with("_s") || name == "times_timeout" ||
        name.starts_with("server_us_"))
        return figure{.kind = figure_kind::time, .least_share = 0.05};
    if (name.ends_with("ratio_to_bare_client") || name == "ratio_to_turnstile")
        return figure{
            .kind = figure_kind::ratio, .least_share = 0.02, .more_is_better = row_has_rate};
    if (name == "threads" || name.find("_per_") != std::string_view::npos)
        return figure{.kind = figure_kind::count, .least_share = 0.01, .least_distance = 0.01};
    return {};
}

bool is_known_by(std::string_view name) {
    return !figure_of(name) && name != "count" && name != "max_us" && name != "quantiles_us" &&
           name != "blocks" && name != "version" && name != "system_calls";
}

} // namespace turnstile::bench
