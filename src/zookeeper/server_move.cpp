// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/server_move.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <random>
#include <utility>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

server_move::server_move(const session_strand& executor, protocol::server_list list, handlers to)
    : executor_(executor),
      list_(std::move(list)),
      to_(std::move(to)),
      resolver_(std::make_unique<resolver>(executor, list_.servers)),
      socket_(executor),
      limit_(executor),
      // Of a thousand sessions that get one list, not all may go to its first server.
      server_(std::random_device()() % list_.servers.size()) {}

template <class Work>
auto server_move::later(Work work) {
    return
        [weak = weak_from_this(), step = step_, work](const boost::system::error_code& error = {}) {
            const auto self = weak.lock();
            if (!self || self->step_ != step || error == asio::error::operation_aborted ||
                !self->process_.is_here())
                return;
            try {
                work(*self, error);
            } catch (...) {
                self->to_.threw();
                throw;
            }
        };
}

void server_move::begin(protocol::duration patience) {
    patience_ = patience;
    asio::post(executor_, later([](server_move& self, const auto&) { self.look_up_name(); }));
}

void server_move::use_untried() {
    if (std::exchange(is_over_, true))
        return;
    stop();
    asio::post(executor_, later([](server_move& self, const auto&) { self.to_.reached(); }));
}

void server_move::stop() {
    ++step_;
    limit_.cancel();
    socket_.close();
}

void server_move::look_up_name() {
    ++step_;
    is_connecting_ = false;
    limit_.expires_after(patience_);
    limit_.async_wait(later([](server_move& self, const auto&) { self.on_limit(); }));
    if (!resolver_->look_up(server_, [found = later([](server_move& self, const auto&) {
                                          self.try_connect();
                                      })]() { found(); }))
        try_connect();
}

void server_move::on_limit() {
    if (is_connecting_)
        try_next_server("no answer in time");
    else if (resolver_->knows(server_)) // the look-up was late, but came
        try_connect();
    else
        try_next_server("its name is still being looked up");
}

void server_move::try_connect() {
    ++step_;
    is_connecting_ = true;
    const auto to = resolver_->due(server_);
    if (!to)
        return try_next_server("its name cannot be looked up: " + resolver_->trouble(server_));
    if (!socket_.open(to->protocol()))
        return try_next_server("no socket can be opened here");
    limit_.expires_after(patience_);
    limit_.async_wait(later([](server_move& self, const auto&) { self.on_limit(); }));
    socket_.connect(*to, later([](server_move& self, const boost::system::error_code& error) {
        if (error)
            return self.try_next_server(error.message());
        self.is_over_ = true;
        self.stop();
        self.to_.reached();
    }));
}

void server_move::try_next_server(const std::string& cause) {
    stop();
    if (resolver_->next(server_))
        return look_up_name();
    causes_.append(causes_.empty() ? "" : "; ")
        .append(list_.servers[server_].str())
        .append(": ")
        .append(cause);
    server_ = (server_ + 1) % list_.servers.size();
    if (++failed_ < list_.servers.size())
        return look_up_name();
    failed_ = 0;
    limit_.expires_after(patience_);
    limit_.async_wait(later([](server_move& self, const auto&) { self.look_up_name(); }));
    to_.failed(std::exchange(causes_, {}));
}

} // namespace turnstile::zookeeper
