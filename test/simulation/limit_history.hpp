// SPDX-License-Identifier: BSL-1.0
// The limits that a semaphore has had, for simulation_witness.cpp, which checks holders by them.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace turnstile::test {

/// Each limit of the run's semaphore, with the transaction that set it. `simulation` owns it.
class limit_history {
public:
    /// Adds the limit after this transaction. Nothing: there is no semaphore, so the limit is 0.
    void add(std::int64_t zxid, std::optional<std::uint32_t> limit) {
        if (limits_.empty() || limits_.rbegin()->second != limit.value_or(0))
            limits_.emplace(zxid, limit.value_or(0));
    }

    /// The limit that held for this transaction, which changed no limit itself.
    std::uint32_t at(std::int64_t zxid) const {
        const auto later = limits_.upper_bound(zxid);
        return later == limits_.begin() ? 0 : std::prev(later)->second;
    }

private:
    std::map<std::int64_t, std::uint32_t> limits_; // by the zxid that set it
};

} // namespace turnstile::test
