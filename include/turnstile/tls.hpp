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

/// With all members empty: the system's authorities are trusted, no certificate is shown, and each
/// server has to have one for the name by which the server list calls it.
///
/// Files are read when a session is made, and again for each connection: a certificate that was
/// renewed is shown from the next connection on. What cannot be used when the session is made, or a
/// library that was built without TLS, is `error::bad_options`.
struct tls_options {
    /// PEM: who may sign the servers' certificates, in place of the system's authorities.
    std::string authorities_file{};
    /// A folder of such files, as `openssl rehash` makes it.
    std::string authorities_folder{};

    /// PEM, with its chain: for servers that ask for one (`ssl.clientAuth`). The session then has
    /// an identity of the scheme `x509`.
    std::string certificate_file{};
    /// PEM, without a pass phrase. Empty: it stands in `certificate_file`.
    std::string key_file{};

    /// The name that all certificates of servers must have, in place of those in the server list.
    std::string server_name{};

    /// For all else that OpenSSL can do. It stands in place of the files above, and decides whether
    /// a certificate is verified. Several sessions may share it; it may not change meanwhile.
    std::shared_ptr<boost::asio::ssl::context> context{};

    /// Each member above but the context, for those who pass all of them on.
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

/// The context that a session makes of these files: to be changed, and given as
/// `tls_options::context`. Throws `boost::system::system_error` where one cannot be used.
TURNSTILE_API std::shared_ptr<boost::asio::ssl::context> make_context(const tls_options& options);

} // namespace turnstile
