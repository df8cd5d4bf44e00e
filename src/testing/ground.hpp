// SPDX-License-Identifier: BSL-1.0
// The modelled ensemble under the sessions of one io_context.
#pragma once

#include "model/model_ensemble.hpp"
#include "session/session_backend.hpp"
#include "session/values/stopped_clock.hpp"

#include <turnstile/testing.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace turnstile::testing::detail {

class modelled_port;

/// The backend (session_backend) of all sessions of one modelled ensemble; `ensemble` owns it. It
/// owns the model, its clock and the ports, and runs the model's events on the io_context. So
/// sessions see answers as they come from a socket: never from within a call. All functions run on
/// the one thread of the context. Only advance() lets time pass, but for a few microseconds with
/// each answer.
class ground final : public turnstile::detail::session_backend,
                     public std::enable_shared_from_this<ground> {
public:
    ground(boost::asio::io_context& context, const ensemble_options& options);

    std::shared_ptr<zookeeper::session_port> make_port(const boost::asio::any_io_executor& strand,
                                                       zookeeper::client_events& events) override;
    std::unique_ptr<turnstile::detail::session_timer>
    make_timer(const boost::asio::any_io_executor& strand, std::function<void()> due) override;
    void after(protocol::duration span, std::function<void()> due) override;
    std::uint64_t draw() override { return random_(); }

    test::model_ensemble& model() { return model_; }
    boost::asio::io_context& context() { return context_; }
    protocol::instant now() const { return events_.now(); }
    test::event_queue& events() { return events_; }

    /// Something was sent, or a timer was set. Posts a turn of the context that runs what is due
    /// now, such as the answer.
    void wake();
    /// Runs the context, and all that is due in this instant, until nothing is left.
    void settle();
    /// Lets the model's time pass, and runs what becomes due.
    void advance(protocol::duration by);
    /// The port of the session that has this id. Throws std::invalid_argument if there is none.
    modelled_port& port_of(std::int64_t session);

private:
    /// Runs the model's events that are due in this instant. Returns whether there were any.
    bool run_due();

    boost::asio::io_context& context_;
    turnstile::detail::stopped_clock clock_; // shows the time of events_
    test::event_queue events_;
    std::mt19937_64 random_;
    test::model_ensemble model_;
    // Events of the model may refer to the links of ports whose sessions are gone.
    std::vector<std::shared_ptr<modelled_port>> ports_;
    bool awake_ = false; // wake() has posted a turn that has not run yet
};

} // namespace turnstile::testing::detail
