// SPDX-License-Identifier: BSL-1.0
// The sessions that the servers know.
#pragma once

#include "connection_options.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <set>

namespace turnstile::command {

/// Asks all servers at once by the word `dump`, which only the leader answers. Returns its list;
/// nothing if the leader does not allow the word or is not in the list of servers.
boost::asio::awaitable<std::optional<std::set<std::int64_t>>>
known_sessions(connection_options how);

} // namespace turnstile::command
