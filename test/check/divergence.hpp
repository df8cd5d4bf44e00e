// SPDX-License-Identifier: BSL-1.0
// Disagreements between the servers of an ensemble.
#pragma once

#include "transaction_log.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::check {

/// A gap in one server's log: transactions that a majority logged and that this server jumped over.
/// (A snapshot may bring their effects: then it is no gap.) An ensemble that keeps its own promise
/// has no gap. A run with one says nothing about its clients.
struct divergence {
    std::string server;      ///< the server that lacks the transactions
    std::int64_t first = 0;  ///< the zxid of the first of them
    std::int64_t last = 0;   ///< the zxid of the last of them
    std::uint64_t count = 0; ///< how many they are

    [[nodiscard]] std::string text() const;
};

/// Returns all gaps, in the order of servers. With one server or two nothing can be known: a
/// majority needs all of them.
[[nodiscard]] std::vector<divergence> find_divergences(const std::vector<server_log>& servers);

} // namespace turnstile::check
