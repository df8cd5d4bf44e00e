// SPDX-License-Identifier: BSL-1.0
// The socket of a session, as Asio has it.
#pragma once

#include "zookeeper/session_strand.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <cstddef>
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
    template <class Handler>
    void read(Handler handler) {
        socket_.async_read_some(boost::asio::buffer(bytes_), std::move(handler));
    }
    /// The first bytes of what the last read brought.
    std::string_view bytes(std::size_t count) const { return {bytes_.data(), count}; }
    /// The read under way ends with what has arrived, or with an error.
    void shutdown() noexcept;
    /// would_block where the kernel takes nothing for now.
    std::size_t write_now(std::string_view bytes, boost::system::error_code& error) noexcept;
    template <class Handler>
    void wait_writable(Handler handler) {
        socket_.async_wait(boost::asio::socket_base::wait_write, std::move(handler));
    }

private:
    // On the strand by itself: nothing has to be bound to it at each read.
    boost::asio::basic_stream_socket<tcp, session_strand> socket_;
    std::array<char, 16 * 1024> bytes_{};
    forked_sockets& all_; // of its context
};

} // namespace turnstile::zookeeper
