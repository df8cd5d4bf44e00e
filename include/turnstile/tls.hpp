// SPDX-License-Identifier: BSL-1.0
// How a session speaks TLS with the servers.
#pragma once

#include <turnstile/detail/export.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace boost::asio::ssl {
class context;
}

namespace turnstile {

/// If all members are empty, the session trusts the system's authorities, and shows no certificate.
/// Each server must have a certificate for its name in the server list.
///
/// Files are read with the first connection, on a thread of their own, for all sessions of an
/// execution context that name the same ones. They are read again if a connection finds that a file
/// has changed, also one in a folder: a certificate that was renewed is shown from the next
/// connection on. Operations fail with `error::bad_options` if the files cannot be used for the
/// first connection, or if the library was built without TLS.
struct tls_options {
    /// A PEM file with the authorities of the servers' certificates, in place of the system's.
    std::string authorities_file{};
    /// A folder of such files, as `openssl rehash` makes it.
    std::string authorities_folder{};

    /// A PEM file with the session's certificate and its chain, for servers that ask for one
    /// (`ssl.clientAuth`). Then the session has an identity of the scheme `x509`.
    std::string certificate_file{};
    /// A PEM file with the private key, without a pass phrase. Empty: it is in `certificate_file`.
    std::string key_file{};

    /// The name that the certificate of each server must have, in place of that in the server list.
    std::string server_name{};

    /// A context for all else that OpenSSL can do. It replaces the files above, and decides whether
    /// a certificate is verified. Several sessions may share it; it must not change meanwhile.
    std::shared_ptr<boost::asio::ssl::context> context{};

    /// The name and the place of each member above but the context. Code that passes all options on
    /// loops over `texts`.
    struct text {
        std::string_view name;
        std::string tls_options::*value;
        bool is_path = true;
    };
    static const std::array<text, 5> texts;
};

inline constexpr std::array<tls_options::text, 5> tls_options::texts{
    {{"authorities_file", &tls_options::authorities_file},
     {"authorities_folder", &tls_options::authorities_folder},
     {"certificate_file", &tls_options::certificate_file},
     {"key_file", &tls_options::key_file},
     {"server_name", &tls_options::server_name, false}}};

/// Makes the context that a session makes of these files. Change it, and pass it as
/// `tls_options::context`. Throws `boost::system::system_error` if a file cannot be used.
TURNSTILE_API std::shared_ptr<boost::asio::ssl::context> make_context(const tls_options& options);

} // namespace turnstile
