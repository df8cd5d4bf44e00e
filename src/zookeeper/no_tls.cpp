// SPDX-License-Identifier: BSL-1.0
// In place of openssl_stream.cpp, in a library that is built without OpenSSL.
#include "zookeeper/tls_stream.hpp"

namespace turnstile::zookeeper {

std::shared_ptr<tls_stream>
make_tls_stream(tcp_socket, const std::shared_ptr<boost::asio::ssl::context>&, const std::string&) {
    return nullptr; // there is no context
}

std::shared_ptr<boost::asio::ssl::context> make_context(const tls_options&, std::string& wrong) {
    wrong = "tls: this library was built without TLS (CMake's option TURNSTILE_TLS)";
    return nullptr;
}

std::vector<std::string> files_of(const tls_options&) { return {}; }

own_certificate certificate_of(boost::asio::ssl::context&) { return {}; }

} // namespace turnstile::zookeeper
