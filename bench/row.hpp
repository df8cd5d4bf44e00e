// SPDX-License-Identifier: BSL-1.0
// One line of the result: a scenario under one strategy.
#pragma once

#include "sample.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::bench {

struct row {
    std::string scenario;
    /// "turnstile", "bare-client" (the bare C client), "bare-client-redirected" (its socket calls
    /// redirected), another way to wait on the same session code, or the name of a peer.
    std::string strategy;
    std::string version{};                // of a peer
    std::string lock{};                   // the kind, where one was measured; also beside it
    std::optional<std::size_t> permits{}; // that a semaphore has
    std::optional<std::size_t> parts{};   // of several locks that are one
    std::optional<std::size_t> waiters{};
    std::optional<std::size_t> sessions{};
    std::optional<std::size_t> locks{};    // different ones
    std::optional<std::size_t> inflight{}; // acquires of different locks under way at once
    std::optional<bool> cold{};            // a line that has rested
    std::optional<std::size_t> timeout_ms{};
    std::size_t count = 0;
    std::optional<double> p50_us{};
    std::optional<double> p90_us{};
    std::optional<double> p99_us{};
    std::optional<double> max_us{};
    std::optional<double>
        ratio_to_bare_client{}; // p50 over p50, measured alternately in the same run
    std::optional<double> p99_ratio_to_bare_client{}; // the same of p99
    std::optional<double> ratio_to_turnstile{};       // of a peer, likewise
    std::optional<double> requests_per_acquire{};
    std::optional<double> requests_per_write{};
    std::optional<double> requests_per_observer{};      // of a change that all observe
    std::optional<double> watch_events_per_session{};   // likewise
    std::optional<double> news_per_observer{};          // likewise: how often it was told
    std::optional<double> bytes_received_per_acquire{}; // by the clients
    std::optional<double> bytes_sent_per_acquire{};
    std::optional<double> watch_events_per_release{};
    std::optional<double> waiters_woken_per_release{}; // the same without those to the releaser
    std::optional<int> threads{};
    std::optional<double> line_up_s{};
    std::optional<double> drain_s{};
    std::optional<double> per_s{};            // a rate: its ratio is rate over rate
    std::optional<double> bytes_per_waiter{}; // resident memory
    std::optional<double> processor_us{};     // of this process, for each
    std::optional<double> requests_per_cancel{};
    std::optional<double> watch_events_per_cancel{};
    std::optional<double> times_timeout{}; // a time as a multiple of the session timeout
    std::optional<double> requests_per_holder_and_s{};
    std::optional<double> server_us_per_holder_and_s{}; // of the server's processor
    std::optional<double> instructions_per_acquire_release{};
    std::optional<double> allocations_per_acquire_release{};
    std::optional<double> system_calls_per_acquire_release{};
    std::map<std::string, double> system_calls{}; // the same by name
    /// Pairs of a share and the time that this share of the samples did not exceed: what a plot of
    /// the distribution needs.
    std::vector<std::pair<double, double>> quantiles_us{};
    /// A figure over parts of the run, so that its spread can be told.
    std::map<std::string, std::vector<double>> blocks{};

    void set_times(const sample& times);
    /// Of two samples that were measured alternately; this row's own are the former.
    void set_ratio(const sample& times, const sample& bare);
};

using rows = std::vector<row>;

void print_table(const rows& result);
/// An array of objects; fields that do not apply are left out.
void write_json(const rows& result, const std::string& file);

} // namespace turnstile::bench
