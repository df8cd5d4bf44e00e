// SPDX-License-Identifier: BSL-1.0
// TLS only with servers that ask for our certificate.
#pragma once

#include <turnstile/tls.hpp>

#include <memory>

namespace turnstile::command {

/// Makes a context of these settings for sessions that have to prove who they are. It sends a
/// server nothing but the handshake unless the server has asked for the certificate, and got it. To
/// a server that does not ask, a certificate proves nothing.
std::shared_ptr<boost::asio::ssl::context> make_proving_context(const tls_options& how);

} // namespace turnstile::command
