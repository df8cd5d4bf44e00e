// SPDX-License-Identifier: BSL-1.0
// The limits that a semaphore has had.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace turnstile::test {

/// Each limit, with the transaction since which it was in force.
class limit_history {
public:
    /// From this transaction on the limit is this one; nothing: there is no semaphore.
    void add(std::int64_t zxid, std::optional<std::uint32_t> limit) {
        if (known_.empty() || known_.rbegin()->second != limit.value_or(0))
            known_.emplace(zxid, limit.value_or(0));
    }

    /// The limit that was in force for this transaction, which changed no limit itself.
    std::uint32_t at(std::int64_t zxid) const {
        const auto later = known_.upper_bound(zxid);
        return later == known_.begin() ? 0 : std::prev(later)->second;
    }

private:
    std::map<std::int64_t, std::uint32_t> known_;
};

} // namespace turnstile::test
