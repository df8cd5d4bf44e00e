// SPDX-License-Identifier: BSL-1.0
// The kinds of lock in a run, as the checker knows them.
#pragma once

#include "node_name.hpp"

#include "promises/lock_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace turnstile::check {

/// The kind of all locks with a line: a mutex is the writer of a shared mutex.
inline constexpr const promises::lock_kind& kind_of_lines = promises::shared_mutex;

/// So many readers of a session may join the ticket of one reader.
inline constexpr std::size_t most_joins = 64;

constexpr promises::units taken_by(bool exclusive) {
    return exclusive ? kind_of_lines.all() : promises::reader;
}

/// What an acquire asks for.
enum class claim : std::uint8_t { exclusive, shared, permits, node };

/// Reads the claim from the field `kind` of an acquire. No word means a mutex, and an unknown word
/// gives nothing. A writer of a shared mutex claims the same as a mutex. So do a candidate of an
/// election and the holder of a guarded lock.
constexpr std::optional<claim> claim_of(std::string_view word) {
    if (word.empty() || word == "exclusive" || word == "writer" || word == "guarded" ||
        word == "election")
        return claim::exclusive;
    if (word == "shared")
        return claim::shared;
    if (word == "semaphore")
        return claim::permits;
    if (word == "single-node")
        return claim::node;
    return std::nullopt;
}

/// The kind of lock of an acquire. `places`: the limit, if it is a semaphore.
constexpr promises::lock_kind kind_of(claim what, promises::units places) {
    return what == claim::permits ? promises::semaphore(places)
           : what == claim::node  ? promises::single_node_mutex
                                  : kind_of_lines;
}

/// Whether the lock has a line of tickets, and is held by these.
constexpr bool holds_tickets(claim what) {
    return what == claim::exclusive || what == claim::shared;
}

/// Whether a node of this role grants the claim. `shared`: the node is a reader's.
constexpr bool matches(claim what, node_role role, bool shared) {
    switch (what) {
    case claim::exclusive:
        return role == node_role::ticket && !shared;
    case claim::shared:
        return role == node_role::ticket && shared;
    case claim::permits:
        return is_permit(role);
    case claim::node:
        break;
    }
    return role == node_role::only_holder;
}

} // namespace turnstile::check
