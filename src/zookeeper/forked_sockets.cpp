// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/forked_sockets.hpp"

#include "zookeeper/session_socket.hpp"

namespace turnstile::zookeeper {

boost::asio::execution_context::id forked_sockets::id;

forked_sockets::forked_sockets(boost::asio::execution_context& context)
    : boost::asio::execution_context::service(context) {}

void forked_sockets::notify_fork(boost::asio::execution_context::fork_event event) {
    if (event != boost::asio::execution_context::fork_child)
        return;
    const std::lock_guard guard(mutex_);
    // The reactor has left its parent's epoll by now: it was told first.
    for (auto at = first_; at; at = at->next_)
        at->socket_.close();
}

forked_sockets::entry::entry(boost::asio::execution_context& context, session_socket& socket)
    : list_(boost::asio::use_service<forked_sockets>(context)), socket_(socket) {
    const std::lock_guard guard(list_.mutex_);
    next_ = list_.first_;
    if (next_)
        next_->previous_ = this;
    list_.first_ = this;
}

forked_sockets::entry::~entry() {
    const std::lock_guard guard(list_.mutex_);
    (previous_ ? previous_->next_ : list_.first_) = next_;
    if (next_)
        next_->previous_ = previous_;
}

} // namespace turnstile::zookeeper
