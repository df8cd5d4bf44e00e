// SPDX-License-Identifier: BSL-1.0
// What a session may do at a node.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile {

/// The result of `session::check_access`. A lock needs all four rights on its path.
struct path_access {
    enum class right : std::uint8_t {
        unknown, ///< READ, WRITE and DELETE of a node that does not exist cannot be found out
        allowed,
        denied,
    };

    /// The node itself, or the nearest one above it that exists. CREATE is checked on that one,
    /// since the missing nodes would be made below it.
    std::string node{};
    /// Whether the node itself exists.
    bool exists = false;

    right read = right::unknown;
    right create = right::unknown;
    /// Unknown if CREATE or DELETE is denied.
    right write = right::unknown;
    /// DELETE, which ZooKeeper checks on the parent. Unknown if CREATE is denied.
    right remove = right::unknown;

    /// True if others have rights at the node that `session_options::acl` does not give: another
    /// program made it, and they can end its locks. False if the node does not exist, if READ is
    /// denied, or if that acl is open.
    bool gives_more = false;
};

} // namespace turnstile
