// SPDX-License-Identifier: BSL-1.0
// Which limits a semaphore has had, and since when.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace turnstile::test {

class limit_history {
public:
    /// The limit as it is from this transaction on; nothing: there is no semaphore.
    void add(std::int64_t zxid, std::optional<std::uint32_t> limit) {
        if (known_.empty() || known_.rbegin()->second != limit.value_or(0))
            known_.emplace(zxid, limit.value_or(0));
    }

    /// In force when this transaction was carried out, which changed no limit itself.
    std::uint32_t at(std::int64_t zxid) const {
        const auto later = known_.upper_bound(zxid);
        return later == known_.begin() ? 0 : std::prev(later)->second;
    }

private:
    std::map<std::int64_t, std::uint32_t> known_;
};

} // namespace turnstile::test
