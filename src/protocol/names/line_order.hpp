// SPDX-License-Identifier: BSL-1.0
// The children of a lock path that stand in line, first come first.
#pragma once

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

inline std::vector<std::string> in_order_of_line(const std::vector<std::string>& children) {
    std::vector<std::pair<std::int32_t, std::string>> line;
    for (const auto& child : children)
        if (const auto place = parse_contender(child))
            line.emplace_back(place->sequence, child);
        else if (child == holder_name)
            line.emplace_back(0, child);
    std::ranges::sort(line);
    std::vector<std::string> names;
    names.reserve(line.size());
    for (auto& [sequence, name] : line)
        names.push_back(std::move(name));
    return names;
}

} // namespace turnstile::protocol
