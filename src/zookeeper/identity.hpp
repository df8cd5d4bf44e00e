// SPDX-License-Identifier: BSL-1.0
// What a session presents to the servers, and what the nodes carry that it makes.
#pragma once

#include <turnstile/acl.hpp>

#include <vector>

namespace turnstile::zookeeper {

/// What the nodes of a session carry. An empty list lets anybody do anything.
struct node_acls {
    std::vector<acl_entry> directories;
    std::vector<acl_entry> tickets;
};

/// One copy for all connections of a session.
struct access {
    std::vector<identity> identities; // in the order in which they are presented
    node_acls acls;
};

/// The user of the identity by which a session alone may set its tickets: so other
/// programs' `set` is refused and cannot look like a release.
inline constexpr const char* guard_user = "turnstile";
/// Its password where anybody may delete tickets anyway: then it is no secret, and the same for all
/// sessions, which shares one ACL at the server. Otherwise each session draws one.
inline constexpr const char* guard_password = "turnstile";

} // namespace turnstile::zookeeper
