// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "frame.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace turnstile::test {

/// What has arrived at a proxy so far, forwarded or not.
struct proxy_stats {
    std::map<std::pair<direction, op>, std::uint64_t> frames;
    std::uint64_t connections = 0;      ///< of clients, also those that were reset at once
    std::uint64_t open_connections = 0; ///< now
    std::uint64_t ended_by_client = 0;  ///< connections; frames of theirs may still be on their way
    std::uint64_t bytes_to_server = 0;
    std::uint64_t bytes_to_client = 0;

    [[nodiscard]] std::uint64_t count(direction where, op what) const {
        const auto found = frames.find({where, what});
        return found != frames.end() ? found->second : 0;
    }
};

} // namespace turnstile::test
