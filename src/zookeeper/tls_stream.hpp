// SPDX-License-Identifier: BSL-1.0
// TLS over the socket of a session, if the library is built with it.
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
#include <vector>

namespace turnstile::zookeeper {

using tcp_socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, session_strand>;

/// TLS on one connection, over the socket that it owns. session_socket uses it. No function waits,
/// and handlers run on the strand.
class tls_stream {
public:
    using handler = std::function<void(const boost::system::error_code&, std::size_t)>;

    virtual ~tls_stream() = default;

    virtual void handshake(handler done) = 0;
    virtual void read(handler done) = 0;
    /// The first `count` bytes of the last read.
    virtual std::string_view bytes(std::size_t count) const = 0;
    /// Takes all bytes and begins to write them. While that write is under way, further calls take
    /// none, with would_block.
    virtual std::size_t write_now(std::string_view bytes, boost::system::error_code& error) = 0;
    /// Waits until the write under way is over. If it fails, the next write_now() says so.
    virtual void wait_writable(handler done) = 0;
    virtual tcp_socket& socket() = 0;
    /// Why the handshake or a read failed, in words for the log; empty if TLS is not the cause.
    virtual std::string trouble(const boost::system::error_code& error) = 0;
};

/// Makes TLS to the server of that name, over a connected socket. The handshake is still to come.
std::shared_ptr<tls_stream>
make_tls_stream(tcp_socket socket, const std::shared_ptr<boost::asio::ssl::context>& context,
                const std::string& server);

/// Returns the context that the settings have, or makes one from their files. Null if a file cannot
/// be used: `wrong` says which.
std::shared_ptr<boost::asio::ssl::context> make_context(const tls_options& how, std::string& wrong);
/// The files and folders that make_context() reads.
std::vector<std::string> files_of(const tls_options& how);

/// The certificate that a context shows to servers that ask for one.
struct own_certificate {
    std::string subject{}; // as servers write it into ACLs; empty: there is none
    std::string trouble{}; // it has expired, or is not valid yet; empty: neither
};
own_certificate certificate_of(boost::asio::ssl::context& context);

} // namespace turnstile::zookeeper
