// SPDX-License-Identifier: BSL-1.0
// The first thing of all: acquire, hold, hand over, release, on a real server.
#include "support/pch.hpp"
#include "support/zookeeper_server.hpp"

#include <turnstile.hpp>

namespace asio = boost::asio;
using namespace turnstile;

TEST_CASE("one session acquires and releases") {
    test::zookeeper_server server{{}};
    asio::io_context context;
    session s{context, {.servers = server.address(), .timeout = std::chrono::seconds{4}}};
    bool done = false;
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
            co_await s.connect();
            REQUIRE(s.state() == session_state::connected);
            mutex orders{s, "/locks/orders"};
            fencing_token last;
            for (int i = 0; i < 5; ++i) {
                auto lock = co_await orders.acquire();
                CHECK(lock.is_held());
                CHECK(lock.fencing_token() > last);
                last = lock.fencing_token();
                co_await lock.release();
            }
            co_await s.close();
            done = true;
        },
        [](std::exception_ptr e) {
            if (e)
                std::rethrow_exception(e);
        });
    context.run();
    CHECK(done);
}
