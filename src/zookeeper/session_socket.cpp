// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/session_socket.hpp"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>

#include <mutex>
#include <netinet/in.h>
#include <set>
#include <sys/socket.h>
#include <unistd.h>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

/// All session_sockets of an execution context, as a service of it. The reactor of a forked child
/// goes on with its parent's reads: the child would take answers that the parent waits for. So this
/// service closes the child's copies when its context is notified of the fork. The parent's
/// connection stays as it is.
class forked_sockets final : public asio::execution_context::service {
public:
    using key_type = forked_sockets;
    static inline asio::execution_context::id id;

    explicit forked_sockets(asio::execution_context& context) : service(context) {}

    void add(session_socket& which) {
        const std::lock_guard guard(mutex_);
        all_.insert(&which);
    }
    void remove(session_socket& which) {
        const std::lock_guard guard(mutex_);
        all_.erase(&which);
    }

private:
    void shutdown() override {}
    // The reactor was notified first, and has left the parent's epoll by now.
    void notify_fork(asio::execution_context::fork_event event) override {
        if (event != asio::execution_context::fork_child)
            return;
        const std::lock_guard guard(mutex_);
        for (const auto each : all_)
            each->close();
    }

    // At a fork Asio allows no other thread in the context: so the child's copy is not locked.
    std::mutex mutex_;
    std::set<session_socket*> all_;
};

// The service is made after those of the socket, and is notified of a fork after them.
session_socket::session_socket(const session_strand& executor)
    : socket_(executor),
      all_(asio::use_service<forked_sockets>(asio::query(executor, asio::execution::context))) {
    all_.add(*this);
}

session_socket::~session_socket() { all_.remove(*this); }

bool session_socket::open(const tcp& protocol) {
    // Asio's own open() would leave a moment in which a fork of another thread inherits the socket.
    const int fd =
        ::socket(protocol.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd < 0)
        return false;
    boost::system::error_code refused;
    try {
        socket_.assign(protocol, fd, refused);
    } catch (...) { // the reactor has no memory
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
    boost::system::error_code ignored; // the socket is closed even if close() fails
    socket().close(ignored);
    tls_.reset();
}

void session_socket::use_tls(const std::shared_ptr<asio::ssl::context>& context,
                             const std::string& server) {
    tls_ = make_tls_stream(std::move(socket_), context, server);
}

void session_socket::shutdown() noexcept {
    boost::system::error_code ignored; // the peer may have been quicker
    socket().shutdown(tcp::socket::shutdown_both, ignored);
}

std::size_t session_socket::write_now(std::string_view bytes, boost::system::error_code& error) {
    return tls_ ? tls_->write_now(bytes, error) : socket_.write_some(asio::buffer(bytes), error);
}

} // namespace turnstile::zookeeper
