// SPDX-License-Identifier: BSL-1.0
// From the options to identities, ACLs and TLS as src/zookeeper has them.
#pragma once

#include "zookeeper/identity.hpp"
#include "zookeeper/sasl_exchange.hpp"
#include "zookeeper/tls_stream.hpp"

#include <turnstile/options.hpp>

#include <memory>
#include <string>

namespace turnstile::detail {

/// The options were checked before.
std::shared_ptr<const zookeeper::access> access_of(const session_options& options);

zookeeper::tls_settings tls_settings_of(const tls_options& options);
zookeeper::sasl_settings sasl_settings_of(const sasl_options& options);

/// For messages, without a secret.
std::string who_is(const session_options& options);

/// The first identity that can own what the session makes (acl::creator_all); null if there is
/// none.
const identity* owner_of(const session_options& options);

} // namespace turnstile::detail
