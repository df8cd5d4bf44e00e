// SPDX-License-Identifier: BSL-1.0
// TLS over the socket of a session, where the library is built with it.
#pragma once

#include "zookeeper/session_strand.hpp"

#include <turnstile/tls.hpp>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace turnstile::zookeeper {

using tcp_socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, session_strand>;

/// On one connection. Everything returns at once, and handlers run on the strand.
class tls_stream {
public:
    using handler = std::function<void(const boost::system::error_code&, std::size_t)>;

    virtual ~tls_stream() = default;

    virtual void handshake(handler done) = 0;
    virtual void read(handler done) = 0;
    /// The first bytes of what the last read brought.
    virtual std::string_view bytes(std::size_t count) const = 0;
    /// Takes all of it, or would_block while a write is under way.
    virtual std::size_t write_now(std::string_view bytes, boost::system::error_code& error) = 0;
    /// After would_block. That the write failed is told by the next one.
    virtual void wait_writable(handler done) = 0;
    virtual tcp_socket& socket() = 0;
    /// Why the handshake or a read failed, in words for the log; empty where it is no matter of
    /// TLS.
    virtual std::string trouble(const boost::system::error_code& error) = 0;
};

/// To the server of that name, over a socket that is connected. Null where the settings cannot be
/// used: `wrong` says why.
std::shared_ptr<tls_stream> make_tls_stream(tcp_socket socket, const tls_options& how,
                                            const std::string& server, std::string& wrong);

/// The one that is given, or else of the files. Null where one cannot be used: `wrong` says which.
std::shared_ptr<boost::asio::ssl::context> make_context(const tls_options& how, std::string& wrong);

/// What these settings show to servers that ask for a certificate.
struct own_certificate {
    std::string subject{}; // as servers write it into ACLs; empty: there is none
    std::string trouble{}; // it has expired, or is not valid yet; empty: neither
};
own_certificate certificate_of(const tls_options& how);

} // namespace turnstile::zookeeper
