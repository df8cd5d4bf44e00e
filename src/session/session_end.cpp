// SPDX-License-Identifier: BSL-1.0
// Ends the ZooKeeper session of another program, or keeps it alive.
#include "protocol/names/server_list.hpp"
#include "protocol/session/session_takeover.hpp"
#include "session/completion.hpp"
#include "session/values/failure_codes.hpp"
#include "zookeeper/client.hpp"
#include "zookeeper/fork_guard.hpp"
#include "zookeeper/session_strand.hpp"

#include <turnstile/error.hpp>
#include <turnstile/session_key.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

/// One operation that ends a ZooKeeper session by its key, or keeps it alive for another timeout.
/// It connects with the id and the password of the session, as often as session_takeover says. The
/// public functions of session_key.hpp make it. While it runs, the handler of its timer owns it.
/// All members but start() and executor() are called on its strand.
class session_end final : public zookeeper::client_events,
                          public std::enable_shared_from_this<session_end> {
public:
    /// `keeps`: the session is kept alive, and not ended.
    session_end(const asio::any_io_executor& executor, const session_key& which, bool keeps);

    /// Does it, once. `done` is called when the outcome is known.
    void start(end_handler&& done);
    const asio::any_io_executor& executor() const { return home_; }

private:
    void attempt(); // connects to the next server
    void wait(protocol::duration how_long, void (session_end::*then)());
    void give_up_attempt(); // the server was silent for too long
    void finish(const error_code& result);

    void on_connected(const protocol::credentials& session, protocol::duration timeout) override;
    void on_disconnected(protocol::disconnect_reason why) override;
    void on_reply(protocol::request_id, const protocol::reply&) override {}
    void on_watch(protocol::watch_event, const std::string&) override {}
    void on_servers(std::size_t, std::size_t, bool) override {}
    void on_servers_failed(const std::string&) override {}
    void on_trouble(const std::string& cause) override;
    void on_log(std::string_view) override {}
    void on_failure() noexcept override;

    const zookeeper::fork_guard process_;
    const asio::any_io_executor home_;
    const zookeeper::session_strand strand_;
    const session_key key_;
    const bool keeps_;
    const std::optional<protocol::server_list> servers_;
    zookeeper::strand_timer timer_;
    std::optional<pending_operation<error_code>> done_{}; // empty before start() and after finish()
    std::shared_ptr<zookeeper::client> client_{};
    std::optional<protocol::session_takeover> rounds_{}; // decides; empty before start()
    std::string trouble_at_{};                           // the server that failed last
    std::string trouble_{};                              // why that server failed
};

session_end::session_end(const asio::any_io_executor& executor, const session_key& which,
                         bool keeps)
    : home_(executor),
      strand_(executor),
      key_(which),
      keeps_(keeps),
      servers_(protocol::server_list::parse(key_.servers)),
      timer_(strand_) {}

void session_end::start(end_handler&& done) {
    if (done.diag && !servers_)
        done.diag->cause = protocol::server_list::wrong_with(key_.servers);
    else if (done.diag && key_.id == 0)
        done.diag->cause = "the key is that of no session: its id is 0";
    on_cancellation(done, weak_from_this(), [](session_end& self, auto type) {
        if (!self.keeps_ && !is_terminal(type))
            return;
        asio::post(self.strand_, [self = self.shared_from_this()] {
            self->finish(asio::error::operation_aborted);
        });
    });
    pending_operation<error_code> pending(std::move(done), home_);
    if (!servers_)
        return std::move(pending).complete(error::bad_servers);
    if (key_.id == 0)
        return std::move(pending).complete(asio::error::invalid_argument);
    asio::post(strand_, [self = shared_from_this(), pending = std::move(pending)]() mutable {
        self->done_.emplace(std::move(pending));
        // It has no access rights, since it neither reads nor makes a node.
        zookeeper::client_options how{.servers = *self->servers_,
                                      .rights = std::make_shared<const zookeeper::access>(),
                                      .tls = self->key_.tls,
                                      .log_level = 0};
        self->client_ = std::make_shared<zookeeper::client>(self->strand_, std::move(how), *self);
        self->rounds_.emplace(self->servers_->servers.size(), self->key_.timeout, self->keeps_,
                              std::mt19937_64{std::random_device{}()}, lease_clock::now());
        self->attempt();
    });
}

void session_end::attempt() {
    wait(rounds_->patience(), &session_end::give_up_attempt);
    client_->connect({.server = rounds_->server(),
                      .session = {.session_id = key_.id, .password = key_.password},
                      .timeout = key_.timeout});
}

void session_end::give_up_attempt() {
    wait(rounds_->patience(), &session_end::give_up_attempt); // if on_disconnected() does not come
    client_->drop();
}

void session_end::wait(protocol::duration how_long, void (session_end::*then)()) {
    timer_.expires_after(how_long);
    // A wait that was over before the next one began is not cancelled: it must not run, either.
    const auto end = timer_.expiry();
    timer_.async_wait([self = shared_from_this(), then, end](const error_code& failed) {
        if (failed || end != self->timer_.expiry() || !self->done_ || !self->process_.is_here())
            return;
        ((*self).*then)();
    });
}

void session_end::on_connected(const protocol::credentials&, protocol::duration) {
    if (!rounds_->on_connected())
        return client_->drop();
    client_->close_session();
    client_->end_turn();
}

void session_end::on_disconnected(protocol::disconnect_reason why) {
    if (!done_)
        return;
    if (why == protocol::disconnect_reason::not_restored)
        trouble_ = "this server lets no connection take a session over";
    if (const auto pause = rounds_->on_disconnected(why, lease_clock::now()))
        return wait(*pause, &session_end::attempt);
    finish(to_error_code(rounds_->result()));
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
    if (result && done->diag()) {
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
