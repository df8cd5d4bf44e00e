// SPDX-License-Identifier: BSL-1.0
// The modelled ensemble below sessions, with each of their requests in sight.
#pragma once

#include "testing/ground.hpp"
#include "testing/modelled_port.hpp"

#include "support/pch.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace turnstile::test {

/// Called with each request before it is sent. What it throws comes out of the port.
using request_viewer = std::function<void(const protocol::request&)>;

class viewed_port final : public zookeeper::session_port {
public:
    viewed_port(std::shared_ptr<session_port> over, request_viewer viewer)
        : over_(std::move(over)), viewer_(std::move(viewer)) {}

    void connect(const protocol::connect_request& to) override { over_->connect(to); }
    void send(protocol::request_id id, const protocol::request& what) override {
        viewer_(what);
        over_->send(id, what);
    }
    void drop() override { over_->drop(); }
    void close_session() override { over_->close_session(); }
    void end_turn() override { over_->end_turn(); }
    void abandon() noexcept override { over_->abandon(); }
    void set_servers(protocol::server_list list) override { over_->set_servers(std::move(list)); }
    void stop_trying_servers() override { over_->stop_trying_servers(); }
    const std::string& server() const override { return over_->server(); }

private:
    const std::shared_ptr<session_port> over_;
    const request_viewer viewer_;
};

class backend_over_model final : public detail::session_backend {
public:
    backend_over_model(boost::asio::io_context& context, request_viewer viewer)
        : model(std::make_shared<testing::detail::ground>(context, testing::ensemble_options{})),
          viewer_(std::move(viewer)) {
        detail::set_backend(context, this);
    }
    ~backend_over_model() override { detail::set_backend(model->context(), nullptr); }

    std::shared_ptr<zookeeper::session_port> make_port(const boost::asio::any_io_executor& strand,
                                                       zookeeper::client_events& events) override {
        return std::make_shared<viewed_port>(model->make_port(strand, events), viewer_);
    }
    std::unique_ptr<detail::session_timer> make_timer(const boost::asio::any_io_executor& strand,
                                                      std::function<void()> due) override {
        return model->make_timer(strand, std::move(due));
    }
    void after(std::chrono::nanoseconds span, std::function<void()> due) override {
        model->after(span, std::move(due));
    }
    std::uint64_t draw() override { return model->draw(); }

    const std::shared_ptr<testing::detail::ground> model;

private:
    const request_viewer viewer_;
};

} // namespace turnstile::test
