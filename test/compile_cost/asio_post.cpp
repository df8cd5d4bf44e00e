// SPDX-License-Identifier: BSL-1.0
// The least that Asio can be asked for in a coroutine: no I/O object at all.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work() { co_await asio::post(asio::deferred); }

int main() {
    asio::io_context ctx;
    asio::co_spawn(ctx, work(), asio::detached);
    ctx.run();
}
