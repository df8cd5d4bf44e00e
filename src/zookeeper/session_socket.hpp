// SPDX-License-Identifier: BSL-1.0
// The socket of a session, with TLS or without.
#pragma once

#include "zookeeper/session_strand.hpp"
#include "zookeeper/tls_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace turnstile::zookeeper {

class forked_sockets;

/// A socket of Asio, with TLS over it from use_tls() on. `client` and `server_move` have one each.
/// No function waits. Handlers run on the strand; close() gives them operation_aborted. At most one
/// read is under way. The socket is closed in a forked child.
class session_socket {
public:
    using tcp = boost::asio::ip::tcp;

    explicit session_socket(const session_strand& executor);
    ~session_socket();
    session_socket(const session_socket&) = delete;
    session_socket& operator=(const session_socket&) = delete;

    /// Makes the socket. False if the process or the reactor has no room for another descriptor.
    bool open(const tcp& protocol);
    void close() noexcept;

    template <class Handler>
    void connect(const tcp::endpoint& to, Handler handler) {
        socket_.async_connect(to, std::move(handler));
    }
    /// For a socket that is connected: from now on all goes over TLS, to the server of that name.
    void use_tls(const std::shared_ptr<boost::asio::ssl::context>& context,
                 const std::string& server);
    void handshake(tls_stream::handler done) { tls_->handshake(std::move(done)); }
    template <class Handler>
    void read(Handler handler) {
        if (tls_)
            return tls_->read(std::move(handler));
        socket_.async_read_some(boost::asio::buffer(bytes_), std::move(handler));
    }
    /// The first `count` bytes of the last read.
    std::string_view bytes(std::size_t count) const {
        return tls_ ? tls_->bytes(count) : std::string_view(bytes_.data(), count);
    }
    /// What TLS says about an error; empty without TLS, or if it says nothing.
    std::string trouble(const boost::system::error_code& error) {
        return tls_ ? tls_->trouble(error) : std::string();
    }
    /// Ends both directions. The read under way ends with the bytes that have arrived, or with an
    /// error.
    void shutdown() noexcept;
    /// Writes as many bytes as it can without a wait, and returns their number. would_block: it can
    /// write more after wait_writable().
    std::size_t write_now(std::string_view bytes, boost::system::error_code& error);
    template <class Handler>
    void wait_writable(Handler handler) {
        if (tls_)
            return tls_->wait_writable(std::move(handler));
        socket_.async_wait(boost::asio::socket_base::wait_write, std::move(handler));
    }

private:
    tcp_socket& socket() { return tls_ ? tls_->socket() : socket_; }

    // Its executor is the strand, so handlers need not be bound to it.
    tcp_socket socket_;
    std::shared_ptr<tls_stream> tls_;     // with TLS this owns the socket
    std::array<char, 16 * 1024> bytes_{}; // of the last read, without TLS
    forked_sockets& all_;                 // all sockets of the context
};

} // namespace turnstile::zookeeper
