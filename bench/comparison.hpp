// SPDX-License-Identifier: BSL-1.0
// Two sides of results beside each other, and what is said of each figure.
#pragma once

#include "figure.hpp"
#include "result_files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace turnstile::bench {

enum class verdict { better, same, worse, unjudged };

/// A side's value of a figure, and between what it lies.
struct range {
    double value = 0; // the median of the runs
    double low = 0;   // lower and upper quartile of the blocks, or of the runs if there are none
    double high = 0;
    bool known = false; // whether there were enough of them to say so
};

range range_of(const measured& of);

/// Different if the value moved by more than the figure's least difference and the ranges are
/// apart. A lower value is the better one, except of a rate. A time or ratio whose range is unknown
/// is not judged.
verdict judge(const figure& what, const range& base, const range& now);

struct compared_figure {
    std::string row;
    std::string name;
    figure_kind kind = figure_kind::count;
    range base;
    range now;
    std::optional<double> ratio{}; // new over base; nothing if the base is 0
    verdict said = verdict::same;
    /// Whether being worse is held against the new side: the bare client and peers are not ours,
    /// and a time beside a ratio says what the machine did.
    bool counts = true;

    /// The verdict in the figure's word: faster and slower, fewer and more.
    const char* word() const;
};

struct comparison {
    std::vector<compared_figure> figures;
    std::vector<std::string> only_in_base; // rows, and figures of rows
    std::vector<std::string> only_in_new;

    std::size_t worse() const; // those that count
};

/// A difference of less than `least_share` of the base's value is none, whatever the figure.
/// Throws std::runtime_error if no row is on both sides.
comparison compare(const side& base, const side& now, double least_share = 0);

void print_comparison(const comparison& result);
void write_comparison(const comparison& result, const std::string& file);

} // namespace turnstile::bench
