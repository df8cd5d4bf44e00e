// SPDX-License-Identifier: BSL-1.0
// The identities that a session presents to the servers, and the access lists of its nodes.
#pragma once

#include <turnstile/acl.hpp>

#include <vector>

namespace turnstile::zookeeper {

/// The access lists of the nodes that a session makes. An empty list lets all do all.
struct node_acls {
    std::vector<acl_entry> directories;
    std::vector<acl_entry> tickets;
};

/// All connections of a session share one copy.
struct access {
    std::vector<identity> identities; // in the order in which they are presented
    node_acls acls;
};

/// The user name of an identity that only the session has. Only it may set the session's tickets:
/// so another program's `set` is refused, and cannot look like a release.
inline constexpr const char* guard_user = "turnstile";
/// The password of that identity if all may delete tickets anyway. Then it is no secret, and the
/// same for all sessions: their nodes share one ACL at the server. Otherwise each session draws
/// one.
inline constexpr const char* guard_password = "turnstile";

} // namespace turnstile::zookeeper
