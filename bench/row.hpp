// One line of the result: a scenario under one strategy.
#pragma once

#include "sample.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::bench {

struct row {
    std::string scenario;
    std::string strategy; // "turnstile", or "limit": the bare C client
    std::optional<std::size_t> waiters{};
    std::optional<std::size_t> sessions{};
    std::size_t count = 0;
    double p50_us = 0;
    double p90_us = 0;
    double p99_us = 0;
    double max_us = 0;
    std::optional<double> ratio_to_limit{}; // p50 over p50, measured alternately in the same run
    std::optional<double> requests_per_acquire{};
    std::optional<double> watch_events_per_release{};
    std::optional<int> threads{};
    std::optional<double> line_up_s{};
    std::optional<double> drain_s{};

    void set_times(const sample& times);
};

using rows = std::vector<row>;

void print_table(const rows& result);
/// An array of objects; fields that do not apply are left out.
void write_json(const rows& result, const std::string& file);

} // namespace turnstile::bench
