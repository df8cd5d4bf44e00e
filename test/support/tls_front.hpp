// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "certificates.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <cstdint>
#include <string>
#include <thread>

namespace turnstile::test {

/// Speaks TLS with clients, and plain TCP with a proxy behind it, which has to understand frames.
/// The end of a connection passes on, both ways. It works in a thread of its own.
class tls_front {
public:
    /// Shows clients the certificate `server`.
    tls_front(std::uint16_t port_behind, const certificates& all);
    ~tls_front();
    tls_front(const tls_front&) = delete;
    tls_front& operator=(const tls_front&) = delete;

    [[nodiscard]] std::string address() const;

private:
    class link;
    void accept();

    boost::asio::io_context context_{1};
    boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_server};
    boost::asio::ip::tcp::acceptor acceptor_;
    const std::uint16_t port_behind_;
    std::thread thread_;
};

} // namespace turnstile::test
