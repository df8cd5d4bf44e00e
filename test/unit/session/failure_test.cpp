// SPDX-License-Identifier: BSL-1.0
// What throws within a session ends it.
#include "testing/ground.hpp"

#include <turnstile/mutex.hpp>
#include <turnstile/session.hpp>

#include "support/pch.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace asio = boost::asio;
using namespace turnstile;
using namespace std::chrono_literals;

namespace {

/// Without memory to send anything, once that is asked for.
class failing_port final : public zookeeper::session_port {
public:
    failing_port(std::shared_ptr<session_port> over, const bool& fails)
        : over_(std::move(over)), fails_(fails) {}

    void connect(const protocol::connect_request& to) override { over_->connect(to); }
    void send(protocol::request_id id, const protocol::request& what) override {
        if (fails_)
            throw std::bad_alloc();
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
    const bool& fails_;
};

class failing_backend final : public detail::session_backend {
public:
    explicit failing_backend(asio::io_context& context)
        : model(std::make_shared<testing::detail::ground>(context, testing::ensemble_options{})) {
        detail::set_backend(context, this);
    }
    std::shared_ptr<zookeeper::session_port> make_port(const asio::any_io_executor& strand,
                                                       zookeeper::client_events& events) override {
        return std::make_shared<failing_port>(model->make_port(strand, events), fails);
    }
    std::unique_ptr<detail::session_timer> make_timer(const asio::any_io_executor& strand,
                                                      std::function<void()> due) override {
        return model->make_timer(strand, std::move(due));
    }
    void after(std::chrono::nanoseconds span, std::function<void()> due) override {
        model->after(span, std::move(due));
    }
    std::uint64_t draw() override { return model->draw(); }

    const std::shared_ptr<testing::detail::ground> model;
    bool fails = false;
};

} // namespace

TEST_CASE("what throws within a session ends it, and goes on to the caller of run()") {
    asio::io_context context;
    failing_backend servers(context);
    session subject(context, session_options{.servers = "127.0.0.1:2181"});
    mutex orders(subject, "/locks/orders");
    held_lock lock;
    std::optional<error_code> waiting;
    std::optional<error_code> loss;
    orders.acquire([&](error_code error, held_lock granted) {
        REQUIRE_FALSE(error);
        lock = std::move(granted);
        lock.wait_lost([&](error_code why) { loss = why; });
        orders.acquire([&](error_code why, held_lock) { waiting = why; });
    });
    servers.model->settle();
    REQUIRE(lock.is_held());
    REQUIRE_FALSE(waiting);

    servers.fails = true;
    bool out_of_run = false;
    SECTION("from the executor") {
        try {
            servers.model->advance(15s);
        } catch (const std::bad_alloc&) {
            out_of_run = true;
        }
    }
    SECTION("from the call that starts an operation") {
        mutex others(subject, "/locks/others");
        asio::post(context, [&] { others.acquire([](error_code, held_lock) {}); });
        try {
            context.restart();
            context.poll();
        } catch (const std::bad_alloc&) {
            out_of_run = true;
        }
    }
    CHECK(out_of_run);
    CHECK_FALSE(lock.is_held());
    CHECK(subject.state() == session_state::closed);
    context.restart();
    context.poll();
    CHECK(waiting == asio::error::no_memory);
    CHECK(loss == error::session_closed);
    detail::set_backend(context, nullptr);
}
