// SPDX-License-Identifier: BSL-1.0
// The lines that have stood under a lock path. Surveys (who stands in line?) are checked by them.
#pragma once

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace turnstile::test {

/// Each line of one lock path, with the transaction that made it. `simulation` owns it.
class line_history {
public:
    using line = std::vector<std::string>; // the names of tickets, the first in line first

    /// Adds the line after this transaction, by the children that the lock path has then.
    void add(std::int64_t zxid, const std::vector<std::string>& children) {
        std::vector<std::pair<std::int32_t, std::string>> standing;
        for (const auto& child : children)
            if (const auto place = protocol::parse_contender(child))
                standing.emplace_back(place->sequence, child);
        std::sort(standing.begin(), standing.end());
        line names;
        for (auto& [sequence, name] : standing)
            names.push_back(std::move(name));
        if (lines_.empty() || lines_.back().second != names)
            lines_.emplace_back(zxid, std::move(names));
    }

    /// Whether this was the line right after the transaction `since`, or at any time after that.
    bool has_been(const line& which, std::int64_t since) const {
        bool is_older = false; // lines from here on were over before `since`
        for (auto each = lines_.rbegin(); each != lines_.rend() && !is_older; ++each) {
            if (each->second == which)
                return true;
            is_older = each->first <= since;
        }
        return !is_older && which.empty(); // the line before the first one was empty
    }

private:
    std::vector<std::pair<std::int64_t, line>> lines_; // by zxid
};

} // namespace turnstile::test
