// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/session_socket.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace turnstile::zookeeper {

bool session_socket::open(const tcp& protocol) {
    // Asio's own open() would leave a moment in which a fork of another thread inherits the socket.
    const int fd =
        ::socket(protocol.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd < 0)
        return false;
    boost::system::error_code refused;
    try {
        socket_.assign(protocol, fd, refused);
    } catch (...) { // the reactor had no memory
        ::close(fd);
        throw;
    }
    if (refused) {
        ::close(fd);
        return false;
    }
    socket_.set_option(tcp::no_delay(true), refused);
    socket_.non_blocking(true, refused);
    return !refused;
}

void session_socket::close() noexcept {
    boost::system::error_code ignored; // what failed to close is closed all the same
    socket_.close(ignored);
}

bool session_socket::has_unread() const noexcept {
    boost::system::error_code refused;
    return socket_.available(refused) > 0;
}

void session_socket::shutdown() noexcept {
    boost::system::error_code ignored; // the peer may have been quicker
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
}

std::size_t session_socket::write_now(std::string_view bytes,
                                      boost::system::error_code& error) noexcept {
    return socket_.write_some(boost::asio::buffer(bytes), error);
}

} // namespace turnstile::zookeeper
