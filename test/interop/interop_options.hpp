// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"
#include "support/server_settings.hpp"

namespace turnstile::interop {

/// What is asked of a run.
struct interop_options {
    std::size_t acquisitions = 10'000; ///< by either side, at least
    std::size_t leader_crashes = 10;
    std::size_t peers = 3;       ///< processes of the other library, a contender each
    std::size_t sessions = 2;    ///< of Turnstile
    std::size_t per_session = 2; ///< contenders on each of them
    std::uint64_t seed = 1;
    test::server_settings settings = test::server_settings::usual;
    std::chrono::milliseconds timeout{10'000}; ///< of the sessions, on both sides
    std::chrono::milliseconds tick{500};       ///< of the servers

    /// A line that stands still for so long behind a peer stands behind one that hangs.
    std::chrono::milliseconds peer_patience{5'000};
    /// A line that stands still for so long behind Turnstile, or a contender of Turnstile that
    /// waits so long while the line moves, is starved.
    std::chrono::milliseconds turnstile_patience{20'000};
};

} // namespace turnstile::interop
