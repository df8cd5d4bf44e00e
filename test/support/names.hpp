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

using turnstile::session_state;

/// Own ones, and then those of users, in the order of their values.
inline std::string name_of(protocol::failure why) {
    constexpr std::array names{"server_error",
                               "path_renewed",
                               "taken_back",
                               "cancelled",
                               "none",
                               "bad_path",
                               "nested_path",
                               "bad_servers",
                               "bad_options",
                               "bad_acl",
                               "no_chroot",
                               "connect_timeout",
                               "unreachable",
                               "session_closed",
                               "session_full",
                               "auth_failed",
                               "create_denied",
                               "read_denied",
                               "write_denied",
                               "release_denied",
                               "would_block",
                               "would_deadlock",
                               "not_exclusive",
                               "not_alone",
                               "timeout",
                               "session_expired",
                               "lease_lost",
                               "ticket_deleted",
                               "sequence_exhausted",
                               "path_unstable",
                               "request_too_large",
                               "forked",
                               "not_held",
                               "released",
                               "wrong_kind",
                               "duplicate_lock",
                               "too_many",
                               "limit_differs",
                               "no_limit",
                               "names_forbid",
                               "not_shared",
                               "path_has_data",
                               "owner_unknown",
                               "outcome_unknown",
                               "held_too_long"};
    static_assert(names.size() == static_cast<std::size_t>(error::held_too_long) + 5);
    return names.at(static_cast<std::size_t>(static_cast<int>(static_cast<error>(why)) + 4));
}

inline std::string name_of(session_state phase) {
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
    constexpr std::array verbs{"enqueue", "container", "exists",  "get",
                               "list",    "acl",       "set",     "delete",
                               "release", "downgrade", "check",   "hold",
                               "unhold",  "transact",  "unwatch", "unwatch children of"};
    const bool watched_get = what.op == protocol::operation::get && what.watch;
    return std::string(watched_get ? "watch" : verbs.at(static_cast<std::size_t>(what.op))) + ' ' +
           what.path + texts_of_steps(what.steps);
}

} // namespace turnstile::test
