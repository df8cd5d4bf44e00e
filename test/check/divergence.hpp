// SPDX-License-Identifier: BSL-1.0
// Disagreements between the servers of an ensemble.
#pragma once

#include "transaction_log.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::check {

/// Transactions that a majority logged and that another server jumped over, without a snapshot that
/// brought it their effects. An ensemble that keeps its own promise has none. With one, the run
/// says nothing about its clients.
struct divergence {
    std::string server; ///< the server that lacks them
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::uint64_t count = 0;

    [[nodiscard]] std::string text() const;
};

/// Returns all divergences, in the order of servers. With fewer than three servers nothing can be
/// known: there is no majority without the other one.
[[nodiscard]] std::vector<divergence> find_divergences(const std::vector<server_log>& servers);

} // namespace turnstile::check
