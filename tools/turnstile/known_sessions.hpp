// SPDX-License-Identifier: BSL-1.0
// Which sessions the servers know.
#pragma once

#include "connection_options.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <set>

namespace turnstile::command {

/// As the server that leads says to the word `dump`; nothing where that is not allowed, or where it
/// is not in the list. All servers are asked at once, and the first list counts.
boost::asio::awaitable<std::optional<std::set<std::int64_t>>>
known_sessions(connection_options how);

} // namespace turnstile::command
