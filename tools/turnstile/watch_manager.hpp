// SPDX-License-Identifier: BSL-1.0
// Which watch manager a server has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace turnstile::command {

enum class watch_manager : std::uint8_t {
    unknown,
    usual,
    optimized, ///< it may keep the deletion of a ticket from the session that waits by it
};

/// A session that asks for a persistent watch and is closed: of the managers that there are only
/// the usual one has persistent watches. What the optimized one loses depends on numbers that it
/// gives to clients, which none of them can see.
std::string question_for_watch_manager();
/// All that the server answers, until it closes the connection.
watch_manager watch_manager_in(std::string_view answer);

} // namespace turnstile::command
