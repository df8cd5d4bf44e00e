// SPDX-License-Identifier: BSL-1.0
// In a forked child, the sockets of the parent's sessions are closed.
#pragma once

#include <boost/asio/execution_context.hpp>

#include <mutex>

namespace turnstile::zookeeper {

class session_socket;

/// The reactor of a forked child goes on with its parent's reads: the child would take answers that
/// the parent waits for. So the child's copies are closed when its context is told of the fork. The
/// parent's connection does not notice that.
class forked_sockets final : public boost::asio::execution_context::service {
public:
    using key_type = forked_sockets;
    static boost::asio::execution_context::id id;

    /// A socket's place in the list, as long as it lives.
    class entry {
    public:
        /// Made after the socket's own services: these are then told of a fork before ours.
        entry(boost::asio::execution_context& context, session_socket& socket);
        ~entry();
        entry(const entry&) = delete;
        entry& operator=(const entry&) = delete;

    private:
        friend forked_sockets;
        forked_sockets& list_;
        session_socket& socket_;
        entry* next_ = nullptr;
        entry* previous_ = nullptr;
    };

    explicit forked_sockets(boost::asio::execution_context& context);

private:
    void shutdown() override {}
    void notify_fork(boost::asio::execution_context::fork_event event) override;

    // Asio allows no other thread in the context at a fork, so no copy of it is locked in a child.
    std::mutex mutex_;
    entry* first_ = nullptr;
};

} // namespace turnstile::zookeeper
