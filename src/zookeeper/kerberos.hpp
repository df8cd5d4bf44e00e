// SPDX-License-Identifier: BSL-1.0
// The Kerberos tickets of a session. Not compiled if the library is built without SASL.
#pragma once

#include <turnstile/sasl.hpp>

#include <gssapi/gssapi.h>

#include <memory>
#include <string>
#include <type_traits>

namespace turnstile::zookeeper {

struct credential_releaser {
    void operator()(gss_cred_id_t which) const noexcept {
        OM_uint32 ignored = 0;
        gss_release_cred(&ignored, &which);
    }
};
using kerberos_credential =
    std::unique_ptr<std::remove_pointer_t<gss_cred_id_t>, credential_releaser>;

/// The Kerberos tickets of a session, and the credential that stands for them. Its SASL exchanges
/// share this object. Tickets that come by a keytab lie in a cache of this object, in memory. So a
/// session that connects again has them, and the user's own cache stays as it is. Without a keytab
/// the tickets are those of the user's cache.
class kerberos {
public:
    explicit kerberos(const sasl_gssapi& how);
    ~kerberos();
    kerberos(const kerberos&) = delete;
    kerberos& operator=(const kerberos&) = delete;

    /// Says what is wrong with the settings themselves; empty: nothing is.
    static std::string wrong_with(const sasl_gssapi& how);
    /// Says why the keytab cannot be read; empty: it can, or there is none.
    std::string trouble() const;
    /// Returns the credential that proves who the session is. Null if there is none: `wrong`, which
    /// was empty, says why. This and renew() may wait for the KDC, and only one of them runs at a
    /// time.
    kerberos_credential acquire(std::string& wrong) const;
    /// Does the same, but first forgets the tickets for servers that the session has got. With a
    /// keytab it gets all tickets anew. If that fails it keeps the older ones, which other servers
    /// may take.
    kerberos_credential renew(std::string& wrong);
    static bool has_time_left(gss_cred_id_t which);

private:
    void drop_service_tickets() const;

    std::string principal_; // empty: the first one in the keytab or the cache
    std::string service_;
    std::string keytab_; // empty: the tickets come from the cache
    std::string cache_;  // empty: the cache of the environment
};

} // namespace turnstile::zookeeper
