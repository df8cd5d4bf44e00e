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

/// Who stands in line for a lock, as `show` and `watch` tell it.
struct lock_line {
    std::string path{};
    std::optional<std::uint32_t> limit{}; ///< the limit of a semaphore
    std::vector<participant> line{};
    std::set<std::int64_t> unknown_sessions{}; ///< sessions that the servers do not know

    /// Whether the servers do not know the node's session any more, but have kept the node.
    bool is_left_over(const participant& who) const {
        return unknown_sessions.contains(who.session_id);
    }
};

/// Whether the lock may be a semaphore: no name in the line says that it is another kind of lock.
bool may_be_semaphore(const std::vector<participant>& line);

/// Writes the line for people, with a row for each participant.
std::string table_of(const lock_line& lock);
/// Writes the line for programs.
std::string json_of(const lock_line& lock);

/// Writes one participant. docs/command-line.md describes each member.
nlohmann::json json_of(const participant& who);
/// A process id as a number; null if the text is none.
nlohmann::json pid_json(const std::string& text);
/// Writes JSON as text, whatever bytes a ticket of another program has.
std::string text_of(const nlohmann::json& value, int indent);

} // namespace turnstile::command
