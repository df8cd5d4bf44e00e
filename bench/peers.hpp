// SPDX-License-Identifier: BSL-1.0
// Turnstile beside the locks of others, in one run.
#pragma once

#include "row.hpp"
#include "target.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::bench {

struct peers_choice {
    std::vector<std::size_t> waiters{10, 100, 1000};
    std::vector<std::string> only{}; // names; none: all
    std::size_t sessions = 10;
    std::size_t rounds = 3;
    std::size_t pairs = 1000;    // of each round, uncontended
    std::size_t hand_offs = 500; // likewise, at least
    std::size_t warm_up = 1500;
};

/// In each round Turnstile, the bare client beside it, and each peer that is installed, in turn.
/// A peer that fails or takes too long is told of on standard error, and left out from then on.
rows measure_peers(const target& server, const peers_choice& choice);

void print_peers(const rows& result);

} // namespace turnstile::bench
