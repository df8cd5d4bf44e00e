// SPDX-License-Identifier: BSL-1.0
// From the options to the identities and ACLs of a session, its own among them.
#pragma once

#include "zookeeper/identity.hpp"

#include <turnstile/options.hpp>

#include <memory>
#include <string>

namespace turnstile::detail {

/// The options were checked before.
std::shared_ptr<const zookeeper::access> access_of(const session_options& options);

/// For messages, without a secret.
std::string who_is(const session_options& options);

/// The first identity that can own what the session makes (acl::creator_all); null if there is
/// none.
const identity* owner_of(const session_options& options);

} // namespace turnstile::detail
