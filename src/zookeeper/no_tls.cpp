// SPDX-License-Identifier: BSL-1.0
// A library that is built without OpenSSL.
#include "zookeeper/tls_stream.hpp"

namespace turnstile::zookeeper {

std::shared_ptr<tls_stream> make_tls_stream(tcp_socket, const tls_settings& how,
                                            const std::string&, std::string& wrong) {
    wrong = wrong_with(how);
    return nullptr;
}

std::string wrong_with(const tls_settings&) {
    return "this library was built without TLS (CMake's option TURNSTILE_TLS)";
}

} // namespace turnstile::zookeeper
