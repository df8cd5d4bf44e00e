// SPDX-License-Identifier: BSL-1.0
// A session's connection to the modelled ensemble.
#pragma once

#include "model/model_link.hpp"
#include "zookeeper/session_port.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace turnstile::testing::detail {

class ground;

/// The port of one session over a link of the model. `ground` makes it and shares the ownership
/// with the session. All functions run on the io_context's thread. Each report of the link is
/// posted to the session's strand, or is kept back first (hold_answers).
class modelled_port final : public zookeeper::session_port,
                            public std::enable_shared_from_this<modelled_port> {
public:
    modelled_port(ground& on, const boost::asio::any_io_executor& strand,
                  zookeeper::client_events& events);

    void connect(const protocol::connect_request& to) override;
    void send(protocol::request_id id, const protocol::request& what) override;
    void drop() override;
    void close_session() override;
    void end_turn() override {}
    void abandon() noexcept override;
    /// All lists lead to the modelled server. The new one counts at once.
    void set_servers(protocol::server_list list) override {
        post([count = list.servers.size()](auto& events) { events.on_servers(count, 0, true); });
    }
    void stop_trying_servers() override {}
    const std::string& server() const override { return server_; }

    test::model_link& link() { return link_; }
    /// The id of the ZooKeeper session; 0 while there is none.
    std::int64_t session() const { return abandoned_ ? 0 : session_; }
    /// Keeps answers and watch events back until let_answers_through().
    void hold_answers() { holds_answers_ = true; }
    void let_answers_through();

private:
    /// A call of one of the functions of client_events.
    using news = std::function<void(zookeeper::client_events&)>;

    /// Wakes the ground, so that it carries out what is asked of the link next. Returns false if
    /// the ground is gone.
    bool wake();
    /// The functions that the link calls.
    test::link_events listeners();
    /// Posts the news, or keeps them back.
    void report(news what);
    void post(news what);

    std::weak_ptr<ground> ground_; // the test may end before the last handler
    boost::asio::any_io_executor strand_;
    zookeeper::client_events& events_;
    test::model_link link_;
    const std::string server_ = "the modelled server";
    // A connection is work for the context, as a socket is that is read from.
    std::optional<boost::asio::executor_work_guard<boost::asio::any_io_executor>> work_;
    std::deque<news> held_; // news that are kept back
    std::int64_t session_ = 0;
    bool connected_ = false;
    bool holds_answers_ = false;
    bool abandoned_ = false; // nothing is reported any more
};

} // namespace turnstile::testing::detail
