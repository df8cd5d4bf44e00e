// SPDX-License-Identifier: BSL-1.0
// Where the servers of an ensemble do not agree on what happened.
#pragma once

#include "transaction_log.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::check {

/// Transactions that a majority logged and that another server jumped over, without a snapshot that
/// brought it their effects. An ensemble that keeps its own promise has none; with one, whatever
/// else is found in the run says nothing about its clients.
struct divergence {
    std::string server; ///< that lacks them
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::uint64_t count = 0;

    [[nodiscard]] std::string text() const;
};

/// In the order of servers. Of fewer than three servers nothing is known: no two are a majority.
[[nodiscard]] std::vector<divergence> find_divergences(const std::vector<server_log>& servers);

} // namespace turnstile::check
