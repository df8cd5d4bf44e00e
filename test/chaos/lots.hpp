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

using std::chrono::microseconds;
using std::chrono::milliseconds;

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

    /// Mostly one lock. Several are neighbours, so that a stuck lock holds up few others.
    [[nodiscard]] parts any_parts() {
        const auto lock = any_lock();
        const auto& all = setting_.locks;
        parts result{any_part(lock)};
        if (has_one_sort(all.mix) || (all.mix == lock_mix::all && !one_in(8)))
            return result;
        constexpr std::uint64_t neighbours = 6;
        const auto first = lock.number / neighbours * neighbours;
        const auto most = 2 + engine_() % 2;
        for (std::uint64_t i = 1; i < neighbours && result.size() < most; ++i) {
            const auto next = all[first + (lock.number + i) % neighbours];
            if (next.number < all.size())
                result.push_back(any_part(next));
        }
        return result;
    }
    [[nodiscard]] manner any_manner() {
        const auto draw = engine_() % 10;
        return draw < 7 ? manner::patient : draw < 9 ? manner::bounded : manner::impatient;
    }
    [[nodiscard]] std::chrono::microseconds any_hold() {
        if (one_in(200)) // a long hold: most losses come to these
            return milliseconds{200} + up_to(1'800);
        const auto longest = static_cast<std::uint64_t>(setting_.longest_hold.count());
        return one_in(2) ? microseconds{0} : microseconds{engine_() % longest};
    }
    [[nodiscard]] std::chrono::milliseconds up_to(std::uint64_t limit) {
        return milliseconds{engine_() % limit};
    }
    [[nodiscard]] bool one_in(unsigned n) { return engine_() % n == 0; }

private:
    [[nodiscard]] lock_choice any_lock() {
        const auto& all = setting_.locks;
        const auto lock = all[(one_in(8) ? engine_() : home_) % all.size()];
        return lock.sort() == lock_sort::shared && one_in(2) ? lock.crowded() : lock;
    }
    [[nodiscard]] part any_part(const lock_choice& lock) {
        const auto leases = 1 + static_cast<std::uint32_t>(engine_() % lock.limit());
        const bool reads = lock.sort() == lock_sort::shared && one_in(2);
        return {++setting_.last_id, lock, leases, reads};
    }

    worker_setting& setting_;
    std::uint64_t home_;
    std::mt19937_64 engine_;
};

} // namespace turnstile::chaos
