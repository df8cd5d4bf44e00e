// SPDX-License-Identifier: BSL-1.0
#include "bare_api.hpp"
#include "bare_client.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* pairs_path = "/bench/pairs";
constexpr const char* bare_pairs = "/bench/pairs-bare-client";

asio::awaitable<void> take_and_release(const target& server, std::size_t pairs) {
    const auto executor = co_await asio::this_coro::executor;
    // So long that hardly a beat falls into a run, which a tool may slow down fifty times.
    auto options = server.options();
    options.timeout = std::chrono::seconds{60};
    session ours(executor, options);
    mutex lock(ours, pairs_path);
    co_await ours.connect();
    for (std::size_t i = 0; i < pairs; ++i) {
        auto held = co_await lock.acquire();
        co_await held.release();
    }
    co_await ours.close();
}

} // namespace

void run_pairs(const target& server, std::size_t pairs) {
    asio::io_context context(1);
    run_to_end(context, take_and_release(server, pairs));
}

void run_limit_pairs(const target& server, std::size_t pairs, const bare_api& through) {
    bare_client bare(server.first(), through);
    bare.make_directory(bare_pairs);
    for (std::size_t i = 0; i < pairs; ++i)
        bare.set_and_delete(bare.create(std::string(bare_pairs) + "/turn-1-lock-"));
}

} // namespace turnstile::bench
