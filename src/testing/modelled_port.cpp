// SPDX-License-Identifier: BSL-1.0
#include "testing/modelled_port.hpp"

#include "testing/ground.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace turnstile::testing::detail {

using protocol::disconnect_reason;

modelled_port::modelled_port(ground& on, const boost::asio::any_io_executor& strand,
                             zookeeper::client_events& events)
    : ground_(on.weak_from_this()),
      strand_(strand),
      events_(events),
      link_(on.model(), listeners()) {}

test::link_events modelled_port::listeners() {
    return {.connected =
                [this](test::model_session session, protocol::duration timeout) {
                    connected_ = true;
                    session_ = session;
                    report([session, timeout](auto& events) {
                        events.on_connected({.session_id = session}, timeout);
                    });
                },
            .disconnected =
                [this](disconnect_reason why) {
                    const bool refused = !std::exchange(connected_, false);
                    held_.clear(); // answers that were on their way are lost
                    if (why != disconnect_reason::lost)
                        session_ = 0;
                    post([this, why, refused](auto& events) {
                        if (refused && why == disconnect_reason::lost)
                            events.on_trouble("it takes no connection");
                        if (!connected_)
                            work_.reset();
                        events.on_disconnected(why);
                    });
                },
            .replied =
                [this](protocol::request_id id, const protocol::reply& answer) {
                    report([id, answer](auto& events) { events.on_reply(id, answer); });
                },
            .fired =
                [this](protocol::watch_event what, const std::string& node) {
                    report([what, node](auto& events) { events.on_watch(what, node); });
                },
            .trace = {},
            .report = [](const std::string&) {}};
}

void modelled_port::report(news what) {
    if (holds_answers_)
        held_.push_back(std::move(what));
    else
        post(std::move(what));
}

void modelled_port::post(news what) {
    if (abandoned_)
        return;
    boost::asio::post(strand_, [weak = weak_from_this(), what = std::move(what)] {
        const auto self = weak.lock();
        if (!self || self->abandoned_)
            return;
        try {
            what(self->events_);
        } catch (...) {
            self->events_.on_failure();
            throw;
        }
    });
}

void modelled_port::let_answers_through() {
    holds_answers_ = false;
    for (auto& each : std::exchange(held_, {}))
        post(std::move(each));
}

bool modelled_port::wake() {
    const auto base = ground_.lock();
    if (base)
        base->wake();
    return base != nullptr;
}

void modelled_port::connect(const protocol::connect_request& to) {
    if (!wake())
        return;
    work_.emplace(strand_);
    link_.connect(to);
}

void modelled_port::send(protocol::request_id id, const protocol::request& what) {
    if (wake())
        link_.send(id, what);
}

void modelled_port::drop() {
    if (wake())
        link_.drop();
}

void modelled_port::close_session() {
    if (wake())
        link_.close_session();
}

void modelled_port::abandon() noexcept {
    if (std::exchange(abandoned_, true))
        return;
    work_.reset();
    held_.clear();
    close_session();
}

} // namespace turnstile::testing::detail
