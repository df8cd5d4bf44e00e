// SPDX-License-Identifier: BSL-1.0
// The socket of a session, as Asio has it.
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

/// Everything that is done here returns at once. Handlers run on the strand, with operation_aborted
/// after close(). One read is under way at a time. In a forked child it is closed.
class session_socket {
public:
    using tcp = boost::asio::ip::tcp;

    explicit session_socket(const session_strand& executor);
    ~session_socket();
    session_socket(const session_socket&) = delete;
    session_socket& operator=(const session_socket&) = delete;

    /// False where the process or the reactor has no room for another descriptor.
    bool open(const tcp& protocol);
    void close() noexcept;

    template <class Handler>
    void connect(const tcp::endpoint& to, Handler handler) {
        socket_.async_connect(to, std::move(handler));
    }
    /// All that comes after the connect goes over TLS. Empty, or what is wrong with the how.
    std::string use_tls(const tls_options& how, const std::string& server);
    void handshake(tls_stream::handler done) { tls_->handshake(std::move(done)); }
    template <class Handler>
    void read(Handler handler) {
        if (tls_)
            return tls_->read(std::move(handler));
        socket_.async_read_some(boost::asio::buffer(bytes_), std::move(handler));
    }
    /// The first bytes of what the last read brought.
    std::string_view bytes(std::size_t count) const {
        return tls_ ? tls_->bytes(count) : std::string_view(bytes_.data(), count);
    }
    /// What TLS says of an error; empty where there is none, or it has no word for it.
    std::string trouble(const boost::system::error_code& error) {
        return tls_ ? tls_->trouble(error) : std::string();
    }
    /// The read under way ends with what has arrived, or with an error.
    void shutdown() noexcept;
    /// would_block where nothing more is taken for now.
    std::size_t write_now(std::string_view bytes, boost::system::error_code& error);
    template <class Handler>
    void wait_writable(Handler handler) {
        if (tls_)
            return tls_->wait_writable(std::move(handler));
        socket_.async_wait(boost::asio::socket_base::wait_write, std::move(handler));
    }

private:
    tcp_socket& socket() { return tls_ ? tls_->socket() : socket_; }

    // On the strand by itself: nothing has to be bound to it at each read.
    tcp_socket socket_;
    std::shared_ptr<tls_stream> tls_; // has the socket then
    std::array<char, 16 * 1024> bytes_{};
    forked_sockets& all_; // of its context
};

} // namespace turnstile::zookeeper
