// SPDX-License-Identifier: BSL-1.0
// TLS that a session uses only with servers that ask for its certificate.
#pragma once

#include <turnstile/tls.hpp>

#include <memory>

namespace turnstile::command {

/// Makes a context of these settings for a session that has to prove who it is. Behind the
/// handshake it sends data only to a server that has asked for the certificate, and got it. To a
/// server that does not ask, a certificate proves nothing.
std::shared_ptr<boost::asio::ssl::context> make_proving_context(const tls_options& how);

} // namespace turnstile::command
