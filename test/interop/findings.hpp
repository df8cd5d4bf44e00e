// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"

namespace turnstile::interop {

/// What came of one kind of peer beside Turnstile.
struct findings {
    std::size_t turnstile = 0; ///< locks that Turnstile's contenders held
    std::size_t peers = 0;     ///< that the peers held
    std::size_t hangs = 0;     ///< peers that stood still, first in line, and were started anew
    std::size_t failures = 0;  ///< peers that ended by themselves, and were started anew
    std::size_t ended_releases = 0; ///< of Turnstile: they ended with the lease, without a server
    std::size_t overlaps = 0;       ///< two held the lock that exclude each other
    std::vector<std::string> violations;       ///< a sentence each; overlaps among them
    std::chrono::milliseconds longest_wait{0}; ///< of a contender of Turnstile
    std::size_t most_passed = 0;               ///< grants to others while one of Turnstile's waited
};

} // namespace turnstile::interop
