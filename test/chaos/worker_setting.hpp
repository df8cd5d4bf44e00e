// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "worker_book.hpp"

#include <chrono>
#include <cstdint>

namespace turnstile::chaos {

/// What the contenders of one worker share. The worker owns it; all is on one thread.
struct worker_setting {
    worker_book& book;
    std::uint16_t store_port = 0; ///< of the fenced store
    lock_set locks{};
    std::chrono::microseconds longest_hold{20'000}; ///< but one hold in 200 lasts much longer
    std::uint64_t last_id = 0;                      ///< the id of the last acquire
    bool healed = false; ///< the faults are over: each contender acquires once more
};

} // namespace turnstile::chaos
