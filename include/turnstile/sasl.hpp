// SPDX-License-Identifier: BSL-1.0
// How a session proves to the servers who it is, by SASL.
#pragma once

#include <turnstile/detail/export.hpp>

#include <string>
#include <variant>

namespace turnstile {

/// By a password, which does not go over the network. Servers name such users in their JAAS file.
struct sasl_digest_md5 {
    std::string user;
    std::string password; ///< never logged

    TURNSTILE_API ~sasl_digest_md5(); ///< overwrites the password
};

/// By Kerberos. Tickets come from `keytab` or from `ticket_cache`; with both empty from the cache
/// of the environment, as `kinit` leaves it.
///
/// Kerberos is asked on a thread of the session's own, since it reads files and waits for other
/// hosts. Where it gives no ticket, the session tries again, as where no server answers:
/// `diagnostics::cause` and the log say why.
struct sasl_gssapi {
    /// Who we are, as `alice@EXAMPLE.ORG`. Empty: whoever stands first in the keytab or the cache.
    std::string principal{};
    /// The servers' principals are `SERVICE/HOST@REALM`.
    std::string service = "zookeeper";
    /// The host in the principal of each server. Empty: its name in the server list.
    std::string host{};
    /// A file with the key of `principal`. Tickets that are got with it stay in memory.
    std::string keytab{};
    /// As KRB5CCNAME names one.
    std::string ticket_cache{};
};

/// A session proves itself anew on each connection. Then it has an identity of the scheme `sasl`,
/// beside those of `session_options::identities`. A server that refuses it is
/// `error::auth_failed`.
///
/// A library that was built without SASL, a mechanism that Cyrus SASL does not have here, or a
/// keytab that cannot be read, is `error::bad_options`.
using sasl_options = std::variant<sasl_digest_md5, sasl_gssapi>;

} // namespace turnstile
