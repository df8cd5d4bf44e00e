// SPDX-License-Identifier: BSL-1.0
// Makes the identities and ACLs of a session out of its options.
#pragma once

#include "zookeeper/identity.hpp"

#include <turnstile/options.hpp>

#include <memory>
#include <string>

namespace turnstile::detail {

/// The identities and ACLs of a session with these options, which were checked before.
std::shared_ptr<const zookeeper::access> access_of(const session_options& options);

/// Names the identities of the session, for a message. `certificate`: the subject of its
/// certificate; empty: there is none.
std::string describe_identities(const session_options& options, const std::string& certificate);

/// The first identity that can own the nodes of the session (acl::creator_all); null if none can.
const identity* owner_of(const session_options& options);

} // namespace turnstile::detail
