// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock_choice.hpp"
#include "worker_book.hpp"
#include "worker_setting.hpp"

#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

namespace turnstile::chaos {

/// How long a contender waits for a lock.
enum class manner : std::uint8_t { patient, bounded, impatient };

/// Draws by lot what a contender does next.
class lots {
public:
    /// One lock, alone or as a part of several. The history has an acquire for each. `reads`
    /// becomes true with the call of a downgrade.
    using part = worker_book::wish;
    using parts = std::vector<part>;

    /// Mostly asks for its home lock: otherwise one stuck lock would soon hold up all contenders.
    lots(worker_setting& setting, std::uint64_t home, std::uint64_t seed)
        : setting_{setting}, home_{home}, engine_{seed} {}

    [[nodiscard]] parts any_parts();
    [[nodiscard]] manner any_manner();
    [[nodiscard]] std::chrono::microseconds any_hold();
    [[nodiscard]] std::chrono::milliseconds up_to(std::uint64_t milliseconds);
    [[nodiscard]] bool one_in(unsigned n) { return engine_() % n == 0; }

private:
    [[nodiscard]] lock_choice any_lock();
    [[nodiscard]] part any_part(const lock_choice& lock);

    worker_setting& setting_;
    std::uint64_t home_;
    std::mt19937_64 engine_;
};

} // namespace turnstile::chaos
