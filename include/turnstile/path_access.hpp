// SPDX-License-Identifier: BSL-1.0
// What a session may do at a node.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile {

/// As `session::access` finds it out. A lock needs all four rights on its path.
struct path_access {
    enum class right : std::uint8_t {
        unknown, ///< nothing can tell it: READ, WRITE and DELETE where the node is not there
        allowed,
        denied,
    };

    /// The node that was asked about, or the nearest one above it that is there. CREATE is asked
    /// of that one: what is missing would be made below it.
    std::string node{};
    /// Whether the node itself is there.
    bool exists = false;

    right read = right::unknown;
    right create = right::unknown;
    right write = right::unknown;
    /// DELETE, which ZooKeeper asks of the parent. Unknown where CREATE is denied.
    right remove = right::unknown;

    /// Others have rights at the node that `session_options::acl` does not give: somebody else made
    /// it, and they can end its locks. Of a node that is there, where READ is allowed; false where
    /// that acl is open.
    bool gives_more = false;
};

} // namespace turnstile
