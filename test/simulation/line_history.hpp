// SPDX-License-Identifier: BSL-1.0
// The lines that there have been under a lock path.
#pragma once

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace turnstile::test {

/// Each line of a lock path, with the transaction since which it was there.
class line_history {
public:
    using line = std::vector<std::string>; // names, from the first on

    /// From this transaction on the path has these children.
    void add(std::int64_t zxid, const std::vector<std::string>& children) {
        std::vector<std::pair<std::int32_t, std::string>> standing;
        for (const auto& child : children)
            if (const auto place = protocol::parse_contender(child))
                standing.emplace_back(place->sequence, child);
        std::sort(standing.begin(), standing.end());
        line now;
        for (auto& [sequence, name] : standing)
            now.push_back(std::move(name));
        if (known_.empty() || known_.back().second != now)
            known_.emplace_back(zxid, std::move(now));
    }

    /// Whether the line was this one after that transaction, or after a later one.
    bool has_been(const line& which, std::int64_t since) const {
        bool over = false; // `since` was reached: earlier lines were over by then
        for (auto each = known_.rbegin(); each != known_.rend() && !over; ++each) {
            if (each->second == which)
                return true;
            over = each->first <= since;
        }
        return !over && which.empty(); // before anything was known
    }

private:
    std::vector<std::pair<std::int64_t, line>> known_;
};

} // namespace turnstile::test
