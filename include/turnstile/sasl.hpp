// SPDX-License-Identifier: BSL-1.0
// How a session proves to the servers who it is, by SASL.
#pragma once

#include <turnstile/detail/export.hpp>

#include <string>
#include <variant>

namespace turnstile {

/// Logs in by a password, which does not go over the network. Servers name such users in their JAAS
/// file.
struct sasl_digest_md5 {
    std::string user;
    std::string password; ///< never logged

    TURNSTILE_API ~sasl_digest_md5(); ///< overwrites the password
};

/// Logs in by Kerberos. Tickets come from `keytab` or from `ticket_cache`. If both are empty, they
/// come from the cache of the environment, which `kinit` fills.
///
/// The session calls Kerberos on a thread of its own, since that reads files and waits for other
/// hosts. If there is no ticket, the session tries again, as it does if no server answers:
/// `diagnostics::cause` and the log say why.
struct sasl_gssapi {
    /// The session's principal, such as `alice@EXAMPLE.ORG`. Empty: the first one in the keytab or
    /// the cache.
    std::string principal{};
    /// The servers' principals are `SERVICE/HOST@REALM`.
    std::string service = "zookeeper";
    /// The host in the principal of each server. Empty: its name in the server list.
    std::string host{};
    /// A file with the key of `principal`. Tickets that are got with it stay in memory.
    std::string keytab{};
    /// A cache, named as in KRB5CCNAME.
    std::string ticket_cache{};
};

/// A session logs in anew on each connection. Then it has an identity of the scheme `sasl`, beside
/// those of `session_options::identities`. If a server refuses it, operations fail with
/// `error::auth_failed`.
///
/// They fail with `error::bad_options` if the library was built without SASL. And they do so if the
/// first attempt finds that Cyrus SASL does not have the mechanism here, or that the keytab cannot
/// be read.
using sasl_options = std::variant<sasl_digest_md5, sasl_gssapi>;

} // namespace turnstile
