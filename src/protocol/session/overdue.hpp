// SPDX-License-Identifier: BSL-1.0
// Whose wait is over, and when the next one's will be.
#pragma once

#include "protocol/names/ticket_id.hpp"
#include "protocol/time/instant.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace turnstile::protocol {

/// Looks once at all that wait, each until an instant of its own.
struct overdue {
    void add(watcher_id who, instant due) {
        if (due <= now)
            ids.push_back(who);
        else
            next = next ? std::min(*next, due) : due;
    }

    instant now;
    std::vector<watcher_id> ids{};
    std::optional<instant> next{};
};

} // namespace turnstile::protocol
