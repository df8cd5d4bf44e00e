// SPDX-License-Identifier: BSL-1.0
// Ends a session from outside, or keeps it.
#pragma once

#include "protocol/names/server_list.hpp"
#include "protocol/time/backoff.hpp"
#include "session/completion.hpp"
#include "zookeeper/client.hpp"
#include "zookeeper/fork_guard.hpp"
#include "zookeeper/session_strand.hpp"

#include <turnstile/error.hpp>
#include <turnstile/session_key.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace turnstile::detail {

/// A connection with the id and the password of a session takes the session over. The close that is
/// sent on it ends the session. That is sure once a server says that it knows the session no more,
/// so a connection after the close asks for just that. To keep a session it is enough to connect.
///
/// While it runs, its timer's handler owns it.
class session_end final : public zookeeper::client_events,
                          public std::enable_shared_from_this<session_end> {
public:
    session_end(const boost::asio::any_io_executor& executor, const session_key& which, bool keeps);

    void start(end_handler&& done);
    const boost::asio::any_io_executor& executor() const { return home_; }

private:
    using clock = std::chrono::steady_clock;

    void attempt();
    void try_next(clock::duration pause);
    void wait(clock::duration how_long, void (session_end::*then)());
    void give_up_attempt();
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
    const boost::asio::any_io_executor home_;
    const zookeeper::session_strand strand_;
    const session_key key_;
    const bool keeps_;
    const std::optional<protocol::server_list> servers_;
    std::mt19937_64 random_{std::random_device{}()};
    zookeeper::strand_timer timer_;
    std::optional<pending_operation<error_code>> done_{};
    std::shared_ptr<zookeeper::client> client_{};
    clock::time_point until_{};
    clock::duration patience_{}; // with one server
    protocol::backoff backoff_;  // after a round of servers
    std::size_t server_ = 0;
    std::size_t tried_ = 0; // servers, in this round
    bool closed_ = false;   // it was sent, and the server has ended the connection
    bool kept_ = false;     // by the connection that is being dropped
    std::string trouble_at_{};
    std::string trouble_{};
};

} // namespace turnstile::detail
