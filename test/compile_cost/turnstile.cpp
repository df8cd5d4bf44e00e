// SPDX-License-Identifier: BSL-1.0
// A user's unit with one co_await on a mutex.
#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work(turnstile::mutex& mutex) { auto lock = co_await mutex.acquire(); }

int main() {
    asio::io_context ctx;
    turnstile::session session{ctx.get_executor(), {.servers = "127.0.0.1:2181"}};
    turnstile::mutex mutex{session, "/locks/x"};
    asio::co_spawn(ctx, work(mutex), asio::detached);
    ctx.run();
}
