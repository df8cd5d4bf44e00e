// SPDX-License-Identifier: BSL-1.0
// Which lines there have been under a lock path, and since when.
#pragma once

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace turnstile::test {

class line_history {
public:
    using line = std::vector<std::string>; // names, from the first on

    /// The children as they are from this transaction on.
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
        bool over = false; // by a later line that is no later than `since`
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
