// SPDX-License-Identifier: BSL-1.0
// TLS with servers that ask who it is.
#pragma once

#include <turnstile/tls.hpp>

#include <memory>

namespace turnstile::command {

/// Of these settings. It sends a server nothing but the handshake unless the server has asked for
/// the certificate, and got it: to one that does not ask, having one proves nothing.
std::shared_ptr<boost::asio::ssl::context> make_proving_context(const tls_options& how);

} // namespace turnstile::command
