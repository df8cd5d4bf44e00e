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
    std::optional<std::uint32_t> limit{}; ///< of a semaphore
    std::vector<participant> line{};
    std::set<std::int64_t> unknown_sessions{}; ///< that the servers do not know

    /// Its servers lost its session, and kept the node.
    bool is_left_over(const participant& who) const {
        return unknown_sessions.contains(who.session_id);
    }
};

/// Whether a limit may be there: nobody's names say that it is another kind of lock.
bool may_be_semaphore(const std::vector<participant>& line);

std::string table_of(const lock_line& what);
std::string json_of(const lock_line& what);

/// One of them. docs/command-line.md tells of each member.
nlohmann::json json_of(const participant& who);
/// A process id as a number; null where a ticket has none.
nlohmann::json pid_json(const std::string& text);
/// As text, whatever bytes a ticket of another program holds.
std::string text_of(const nlohmann::json& what, int indent);

} // namespace turnstile::command
