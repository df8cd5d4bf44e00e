// SPDX-License-Identifier: BSL-1.0
// The kinds of lock that a run has, as the checker knows them.
#pragma once

#include "node_name.hpp"

#include "promises/lock_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace turnstile::check {

/// All that stand in a line: a mutex is the writer of a shared mutex.
inline constexpr const promises::lock_kind& kind_of_lines = promises::shared_mutex;

/// So many readers of a session may come to share the ticket of another one.
inline constexpr std::size_t most_joins = 64;

constexpr promises::units taken_by(bool exclusive) {
    return exclusive ? kind_of_lines.all() : promises::reader;
}

/// What an acquire asks for, by the word of the history.
enum class claim : std::uint8_t { exclusive, shared, leases, node };

/// A word that no lock has is none; a line without a word is of a mutex. A writer of a shared mutex
/// claims what a mutex does, and so do a candidate of an election and who writes a counter.
constexpr std::optional<claim> claim_of(std::string_view word) {
    if (word.empty() || word == "exclusive" || word == "writer" || word == "guarded" ||
        word == "election")
        return claim::exclusive;
    if (word == "shared")
        return claim::shared;
    if (word == "semaphore")
        return claim::leases;
    if (word == "single-node")
        return claim::node;
    return std::nullopt;
}

/// `places`: of a semaphore, its limit.
constexpr promises::lock_kind kind_of(claim what, promises::units places) {
    return what == claim::leases ? promises::semaphore(places)
           : what == claim::node ? promises::single_node_mutex
                                 : kind_of_lines;
}

/// Whether it has a line, whose tickets are what is held.
constexpr bool holds_tickets(claim what) {
    return what == claim::exclusive || what == claim::shared;
}

/// Whether such a node is what the claim is granted with.
constexpr bool matches(claim what, node_role role, bool shared) {
    switch (what) {
    case claim::exclusive:
        return role == node_role::ticket && !shared;
    case claim::shared:
        return role == node_role::ticket && shared;
    case claim::leases:
        return is_lease(role);
    case claim::node:
        break;
    }
    return role == node_role::only_holder;
}

} // namespace turnstile::check
