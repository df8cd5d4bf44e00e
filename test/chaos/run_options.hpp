// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock_choice.hpp"

#include "support/server_settings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace turnstile::chaos {

/// The options of a chaos run: the command line of turnstile-chaos fills them, and nothing changes
/// them afterwards.
struct run_options {
    double minutes = 3; ///< how long the faults go on
    std::uint64_t seed = 1;
    std::size_t workers = 8;
    std::size_t contenders = 192; ///< over all workers
    lock_set locks{.count = 48};
    std::size_t servers = 3;
    std::filesystem::path folder; ///< for histories, logs and the servers' data
    bool namespaces = true;       ///< servers in network namespaces, so that they can be parted
    test::server_settings settings = test::server_settings::usual;
    int lose_one_in = 200;       ///< one watch event in this many is lost; 0: none is
    bool tls = false;            ///< the workers speak TLS
    std::filesystem::path guard; ///< the program `turnstile`, whose guard runs; empty: none
    bool quiet = false;          ///< no faults: shows what the machine can do
    std::chrono::milliseconds session_timeout{2'500};
    std::chrono::milliseconds tick{250};
    std::chrono::seconds drain_limit{90}; ///< after the faults, all contenders are served by then
    std::uint64_t least_acquisitions = 0; ///< 0: by the length of the run, see judgement.hpp
};

} // namespace turnstile::chaos
