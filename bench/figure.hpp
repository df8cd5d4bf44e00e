// SPDX-License-Identifier: BSL-1.0
// What a member of a row in a result file is: a figure that is compared, or a part of what the row
// is known by.
#pragma once

#include <optional>
#include <string_view>

namespace turnstile::bench {

enum class figure_kind {
    time,  // or a rate; judged only where its spread is known
    ratio, // the same
    count, // repeats from run to run, so that one value will do
};

struct figure {
    figure_kind kind = figure_kind::count;
    double least_share = 0;    // of the base's value: a smaller difference is none
    double least_distance = 0; // likewise, in the figure's own unit
    bool more_is_better = false;
};

/// Goes by the member's name, so that a scenario of tomorrow needs no change here: times end in
/// "_us" or "_s", counts hold "_per_". A rate is "per_s", and a ratio of its row is one of rates.
/// Nothing if it is no figure to compare.
std::optional<figure> figure_of(std::string_view name, bool row_has_rate = false);

/// Whether a member that is no figure says which row it is. Most do: the scenario, the strategy, a
/// kind of lock, the number of waiters.
bool is_known_by(std::string_view name);

} // namespace turnstile::bench
