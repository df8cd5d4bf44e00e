// SPDX-License-Identifier: BSL-1.0
// The nodes of locks that the checker follows, by their paths. docs/internals/protocol/ describes
// them. No code of the library is used here: an error there must not hide its own effects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::check {

/// What a node is to its lock.
enum class node_role : std::uint8_t {
    ticket,     ///< stands in a line
    tried,      ///< a lease of a semaphore, made to see whether it was free
    taken,      ///< a lease of a semaphore, taken by the first in line
    only_holder ///< the one node of a lock of one node
};

/// A node's path in two parts: the lock, and the node's name below it. Tickets of a semaphore stand
/// in "/s/queue", which counts as a lock of its own.
struct node_name {
    node_role role{};
    std::string lock;
    std::string name; ///< "turn-3-lock-0000000000", "leases/try-3-11-1-lease-0000000000", "holder"

    /// Nothing if the node is none of these.
    [[nodiscard]] static std::optional<node_name> parse(std::string_view path);
    bool operator==(const node_name&) const = default;
};

[[nodiscard]] constexpr bool is_permit(node_role role) {
    return role == node_role::tried || role == node_role::taken;
}

/// The line of a semaphore.
[[nodiscard]] inline std::string queue_of(const std::string& semaphore) {
    return semaphore + "/queue";
}

} // namespace turnstile::check
