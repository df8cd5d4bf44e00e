// SPDX-License-Identifier: BSL-1.0
// What a unit costs that awaits a timer: the same unit as turnstile.cpp, with Asio alone.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>

namespace asio = boost::asio;

asio::awaitable<void> work(asio::steady_timer& timer) { co_await timer.async_wait(asio::deferred); }

int main() {
    asio::io_context ctx;
    asio::steady_timer timer{ctx, std::chrono::milliseconds(1)};
    asio::co_spawn(ctx, work(timer), asio::detached);
    ctx.run();
}
