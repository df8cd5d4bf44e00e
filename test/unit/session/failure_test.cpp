// SPDX-License-Identifier: BSL-1.0
// What throws within a session ends it.
#include "unit/session/backend_over_model.hpp"

#include <turnstile/mutex.hpp>
#include <turnstile/session.hpp>

#include "support/pch.hpp"

#include <new>

namespace asio = boost::asio;
using namespace turnstile;
using namespace std::chrono_literals;

TEST_CASE("what throws within a session ends it, and goes on to the caller of run()") {
    asio::io_context context;
    bool fails = false;
    const test::backend_over_model servers(context, [&](const auto&) {
        if (fails)
            throw std::bad_alloc();
    });
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

    fails = true;
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
}
