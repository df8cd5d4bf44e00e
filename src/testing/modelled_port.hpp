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

/// The port of one session over a link of the model. `ground` makes it and owns it together with
/// the session; all functions run on the io_context's thread.
class modelled_port final : public zookeeper::session_port,
                            public std::enable_shared_from_this<modelled_port> {
public:
    modelled_port(ground& below, const boost::asio::any_io_executor& strand,
                  zookeeper::client_events& events);

    void connect(const protocol::connect_request& to) override;
    void send(protocol::request_id id, const protocol::request& what) override;
    void drop() override;
    void close_session() override;
    void end_turn() override {}
    void abandon() noexcept override;
    void set_servers(protocol::server_list) override {} // all lists lead to the modelled one
    void stop_trying_servers() override {}
    const std::string& server() const override { return server_; }

    test::model_link& link() { return link_; }
    /// The id of the session; 0 while there is none.
    std::int64_t session() const { return gone_ ? 0 : session_; }
    /// Keeps answers back until let_answers_through().
    void hold_answers() { holds_ = true; }
    void let_answers_through();

private:
    using news = std::function<void(zookeeper::client_events&)>;

    bool wake();
    test::link_events listeners();
    void report(news what);
    void post(news what);

    std::weak_ptr<ground> below_; // the test may end before the last handler
    boost::asio::any_io_executor strand_;
    zookeeper::client_events& events_;
    test::model_link link_;
    const std::string server_ = "the modelled server";
    // A connection is work for the context, as a socket that is read from.
    std::optional<boost::asio::executor_work_guard<boost::asio::any_io_executor>> work_;
    std::deque<news> held_; // answers that are kept back
    std::int64_t session_ = 0;
    bool connected_ = false;
    bool holds_ = false; // answers are kept back
    bool gone_ = false;  // the session has ended
};

} // namespace turnstile::testing::detail
