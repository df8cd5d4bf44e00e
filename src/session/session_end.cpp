// SPDX-License-Identifier: BSL-1.0
#include "session/session_end.hpp"

#include "zookeeper/tls_stream.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds shortest_patience = 100ms;
constexpr std::chrono::milliseconds shortest_pause = 20ms;
constexpr std::chrono::milliseconds longest_pause = 2s;

} // namespace

session_end::session_end(const asio::any_io_executor& executor, const session_key& which,
                         bool keeps)
    : home_(executor),
      strand_(executor),
      key_(which),
      keeps_(keeps),
      servers_(protocol::server_list::parse(key_.servers)),
      timer_(strand_),
      backoff_(shortest_pause, longest_pause) {}

void session_end::start(end_handler&& done) {
    if (done.diag && !servers_)
        done.diag->cause = protocol::server_list::wrong_with(key_.servers);
    on_cancellation(done, weak_from_this(), [](session_end& self) {
        asio::post(self.strand_, [self = self.shared_from_this()] {
            self->finish(asio::error::operation_aborted);
        });
    });
    std::string wrong;
    const bool bad_tls = key_.tls && !zookeeper::make_context(*key_.tls, wrong);
    if (done.diag && bad_tls)
        done.diag->cause = wrong;
    pending_operation<error_code> pending(std::move(done), home_);
    if (!servers_ || bad_tls)
        return std::move(pending).complete(!servers_ ? error::bad_servers : error::bad_options);
    asio::post(strand_, [self = shared_from_this(), pending = std::move(pending)]() mutable {
        self->done_.emplace(std::move(pending));
        // No access rights: nothing is read or made.
        zookeeper::client_options how{.servers = *self->servers_,
                                      .rights = std::make_shared<const zookeeper::access>(),
                                      .tls = self->key_.tls,
                                      .log_level = 0};
        self->client_ = std::make_shared<zookeeper::client>(self->strand_, std::move(how), *self);
        self->until_ =
            self->keeps_ ? clock::time_point::max() : clock::now() + 2 * self->key_.timeout;
        self->patience_ = std::max<clock::duration>(self->key_.timeout / 16, shortest_patience);
        self->server_ = self->random_() % self->servers_->servers.size();
        self->attempt();
    });
}

void session_end::attempt() {
    wait(patience_, &session_end::give_up_attempt);
    client_->connect({.server = server_,
                      .session = {.session_id = key_.id, .password = key_.password},
                      .timeout = key_.timeout});
}

void session_end::give_up_attempt() {
    wait(patience_, &session_end::give_up_attempt); // the end of the attempt comes by itself
    client_->drop();
}

void session_end::wait(clock::duration how_long, void (session_end::*then)()) {
    timer_.expires_after(how_long);
    timer_.async_wait([self = shared_from_this(), then](const error_code& failed) {
        if (failed || !self->done_ || !self->process_.is_here())
            return;
        ((*self).*then)();
    });
}

// A server that is slow gets more time in the next round, and one that is gone costs little in
// this.
void session_end::try_next(clock::duration pause) {
    if (clock::now() >= until_ - pause)
        return finish(error::unreachable);
    server_ = (server_ + 1) % servers_->servers.size();
    if (++tried_ == servers_->servers.size()) {
        tried_ = 0;
        pause += backoff_.next(std::ref(random_)); // many sessions may end at one instant
        patience_ = std::min<clock::duration>(
            2 * patience_, std::max<clock::duration>(key_.timeout / 4, shortest_patience));
    }
    wait(pause, &session_end::attempt);
}

void session_end::on_connected(const protocol::credentials&, protocol::duration) {
    if (keeps_) {
        kept_ = true;
        client_->drop();
        return;
    }
    client_->close_session();
    client_->end_turn();
}

void session_end::on_disconnected(protocol::disconnect_reason why) {
    using enum protocol::disconnect_reason;
    if (!done_)
        return;
    if (why == expired)
        return finish({});
    if (why == not_restored) { // each further attempt would make a session
        trouble_ = "this server lets no connection take a session over";
        return finish(error::unreachable);
    }
    if (std::exchange(kept_, false)) {
        tried_ = 0;
        backoff_.reset();
        return wait(key_.timeout / 4, &session_end::attempt);
    }
    if (why == one_address || why == refused_once ||
        (why == closed && !std::exchange(closed_, true)))
        return wait(0ms, &session_end::attempt);
    try_next(0ms);
}

void session_end::on_trouble(const std::string& cause) {
    trouble_at_ = client_->server();
    trouble_ = cause;
}

void session_end::on_failure() noexcept { finish(asio::error::no_memory); }

void session_end::finish(const error_code& result) {
    if (!done_)
        return;
    auto done = std::exchange(done_, std::nullopt);
    if (result == error::unreachable && done->diag()) {
        done->diag()->server = trouble_at_;
        done->diag()->cause = trouble_;
    }
    client_->abandon();
    timer_.cancel();
    std::move(*done).complete(result);
}

const asio::any_io_executor& executor_of(const session_end& owner) noexcept {
    return owner.executor();
}

std::shared_ptr<session_end> make_end(const asio::any_io_executor& executor,
                                      const session_key& which, bool keeps) {
    return std::make_shared<session_end>(executor, which, keeps);
}

void start_end(const std::shared_ptr<session_end>& end, end_handler done) {
    end->start(std::move(done));
}

} // namespace turnstile::detail
