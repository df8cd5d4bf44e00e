// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"
#include <turnstile.hpp>

namespace turnstile::survive {

/// What is asked of a run.
struct survive_options {
    std::size_t leader_crashes = 100;
    std::size_t rolling_restarts = 20;
    std::size_t cuts = 120; ///< short ones, of connections
    std::size_t holder_crashes = 48;
    std::size_t holders = 12; ///< sessions that hold a lock while servers come and go
    std::chrono::milliseconds timeout = session_options{}.timeout;
    std::chrono::milliseconds tick{2'000}; ///< of the servers
};

/// As the library's users have them, but for the addresses.
inline session_options session_for(const survive_options& how, const std::string& servers) {
    session_options result;
    result.servers = servers;
    result.timeout = how.timeout;
    result.tick = how.tick;
    result.log.level = log_level::error;
    return result;
}

} // namespace turnstile::survive
