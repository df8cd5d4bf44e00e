// SPDX-License-Identifier: BSL-1.0
// Texts for what the machine says, so that tests read as dialogues.
#pragma once

#include "protocol/listener.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"

#include <array>
#include <string>
#include <vector>

namespace turnstile::test {

inline std::string name_of(protocol::failure why) {
    constexpr std::array names{"none",
                               "cancelled",
                               "timed_out",
                               "would_block",
                               "would_deadlock",
                               "unreachable",
                               "connect_timed_out",
                               "not_held",
                               "not_exclusive",
                               "not_shared",
                               "not_alone",
                               "names_forbid",
                               "session_closed",
                               "session_full",
                               "create_denied",
                               "read_denied",
                               "write_denied",
                               "release_denied",
                               "auth_failed",
                               "no_chroot",
                               "sequence_exhausted",
                               "path_unstable",
                               "taken_back",
                               "path_renewed",
                               "nested_path",
                               "owner_unknown",
                               "path_has_data",
                               "lost_expired",
                               "lost_deadline",
                               "lost_by_limit",
                               "lost_deleted",
                               "wrong_kind",
                               "too_many",
                               "limit_differs",
                               "no_limit",
                               "server_error"};
    return names.at(static_cast<std::size_t>(why));
}

inline std::string name_of(protocol::session_phase phase) {
    constexpr std::array names{"idle", "connecting", "connected", "suspended", "closing", "closed"};
    return names.at(static_cast<std::size_t>(phase));
}

/// "check <path>; set <path>; ..."
inline std::string texts_of_steps(const std::vector<protocol::transaction_step>& steps) {
    constexpr std::array verbs{"check", "set", "delete", "create", "ephemeral", "sequential"};
    std::string result;
    for (const auto& step : steps)
        result += (result.empty() ? "" : "; ") +
                  std::string(verbs.at(static_cast<std::size_t>(step.what))) + ' ' + step.path +
                  (step.version == -1 ? "" : '@' + std::to_string(step.version));
    return result;
}

/// "enqueue <prefix>", "get <path>", "watch <path>" (a get with a watch), "list <path>", ...
inline std::string text_of(const protocol::request& what) {
    constexpr std::array verbs{"enqueue",
                               "container",
                               "exists",
                               "get",
                               "list",
                               "acl",
                               "set",
                               "delete",
                               "release",
                               "downgrade",
                               "check",
                               "sync",
                               "hold",
                               "unhold",
                               "transact",
                               "unwatch",
                               "unwatch children of"};
    const bool watched_get = what.op == protocol::operation::get && what.watch;
    return std::string(watched_get ? "watch" : verbs.at(static_cast<std::size_t>(what.op))) + ' ' +
           what.path + texts_of_steps(what.steps);
}

} // namespace turnstile::test
