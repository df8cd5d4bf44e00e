// SPDX-License-Identifier: BSL-1.0
// The line of a lock as text, for people and for programs.
#pragma once

#include <turnstile/participant.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace turnstile::command {

struct lock_line {
    std::string path{};
    std::optional<std::uint32_t> limit{}; ///< the limit of a semaphore
    std::vector<participant> line{};
    std::set<std::int64_t> unknown_sessions{}; ///< sessions that the servers do not know

    /// Whether the servers have lost the node's session, and kept the node.
    bool is_left_over(const participant& who) const {
        return unknown_sessions.contains(who.session_id);
    }
};

/// Whether the lock may be a semaphore: no name in the line says that it is another kind of lock.
bool may_be_semaphore(const std::vector<participant>& line);

std::string table_of(const lock_line& what);
std::string json_of(const lock_line& what);

/// Writes one participant. docs/command-line.md describes each member.
nlohmann::json json_of(const participant& who);
/// A process id as a number; null if a ticket has none.
nlohmann::json pid_json(const std::string& text);
/// Writes JSON as text, whatever bytes a ticket of another program has.
std::string text_of(const nlohmann::json& what, int indent);

} // namespace turnstile::command
