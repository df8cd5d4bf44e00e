// SPDX-License-Identifier: BSL-1.0
// The tickets of a session. Not compiled where the library is built without SASL.
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

/// Tickets that are got with a keytab lie in a cache of its own in memory: a session that connects
/// again has them, and the user's own cache stays as it is.
class kerberos {
public:
    explicit kerberos(const sasl_gssapi& how);
    ~kerberos();
    kerberos(const kerberos&) = delete;
    kerberos& operator=(const kerberos&) = delete;

    /// What cannot be used of the settings; empty: nothing.
    static std::string wrong_with(const sasl_gssapi& how);
    /// One of the following runs at a time. They may ask the KDC. Null where there is none: `wrong`
    /// says why.
    kerberos_credential acquire(std::string& wrong) const;
    /// The same, without a ticket for a server that was got earlier. Tickets of a keytab are all
    /// got anew, and kept only where that succeeds: with other servers the older ones may do.
    kerberos_credential renew(std::string& wrong);
    static bool lasts(gss_cred_id_t which);

private:
    void drop_service_tickets() const;

    std::string principal_;
    std::string service_;
    std::string keytab_;
    std::string cache_;
};

} // namespace turnstile::zookeeper
