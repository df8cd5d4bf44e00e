// SPDX-License-Identifier: BSL-1.0
// Which watch manager a server has. A question in ZooKeeper's own protocol finds it out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace turnstile::command {

enum class watch_manager : std::uint8_t {
    unknown, ///< the answer does not say it
    usual,
    optimized, ///< it may keep the deletion of a ticket from the session that waits by it
};

/// Returns the bytes of a whole session, which asks for a persistent watch and closes: only the
/// usual manager has persistent watches. (What the optimized one loses depends on numbers that it
/// gives to clients, and that no client can see.)
std::string question_for_watch_manager();
/// Reads the manager from all that the server answers until it closes the connection.
watch_manager watch_manager_in(std::string_view answer);

} // namespace turnstile::command
