// SPDX-License-Identifier: BSL-1.0
// Ends the ZooKeeper session of another program, or keeps it alive.
#pragma once

#include "protocol/names/server_list.hpp"
#include "protocol/session/session_takeover.hpp"
#include "session/completion.hpp"
#include "zookeeper/client.hpp"
#include "zookeeper/fork_guard.hpp"
#include "zookeeper/session_strand.hpp"

#include <turnstile/error.hpp>
#include <turnstile/session_key.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::detail {

/// One operation that ends a ZooKeeper session by its key, or keeps it alive for another timeout.
/// It connects with the id and the password of the session, as often as session_takeover says. The
/// public functions of session_key.hpp make it. While it runs, the handler of its timer owns it.
/// All members but start() and executor() are called on its strand.
class session_end final : public zookeeper::client_events,
                          public std::enable_shared_from_this<session_end> {
public:
    /// `keeps`: the session is kept alive, and not ended.
    session_end(const boost::asio::any_io_executor& executor, const session_key& which, bool keeps);

    /// Does it, once. `done` is called when the outcome is known.
    void start(end_handler&& done);
    const boost::asio::any_io_executor& executor() const { return home_; }

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
    const boost::asio::any_io_executor home_;
    const zookeeper::session_strand strand_;
    const session_key key_;
    const bool keeps_;
    const std::optional<protocol::server_list> servers_;
    zookeeper::strand_timer timer_;
    std::optional<pending_operation<error_code>> done_{}; // empty before start() and after finish()
    std::shared_ptr<zookeeper::client> client_{};
    std::optional<protocol::session_takeover> rounds_{}; // decides; empty before start()
    std::string trouble_at_{};                           // the server that failed last
    std::string trouble_{};                              // and why
};

} // namespace turnstile::detail
