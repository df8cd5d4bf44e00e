#pragma once

#include "worker_book.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace turnstile::chaos {

/// What the contenders of one worker share.
struct worker_setting {
    worker_book& book;
    std::uint16_t store_port = 0; ///< of the fenced store
    std::uint64_t locks = 1;
    std::chrono::microseconds longest_hold{20'000};
    std::uint64_t last_id = 0; ///< of the acquires
    bool healed = false;       ///< the faults are over: one acquire more each

    [[nodiscard]] static std::string lock_path(std::uint64_t index) {
        return "/chaos/lock-" + std::to_string(index);
    }
};

} // namespace turnstile::chaos
