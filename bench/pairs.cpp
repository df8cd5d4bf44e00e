#include "limit_api.hpp"
#include "limit_client.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* pairs_path = "/bench/pairs";
constexpr const char* pairs_limit = "/bench/pairs-limit";

asio::awaitable<void> take_and_release(const target& server, std::size_t pairs) {
    const auto executor = co_await asio::this_coro::executor;
    // So long that hardly a beat falls into a run, which a tool may slow down fifty times.
    session ours(executor, {.servers = server.servers(), .timeout = std::chrono::seconds{60}});
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

void run_limit_pairs(const target& server, std::size_t pairs, const limit_api& through) {
    limit_client bare(server.first(), through);
    bare.make_directory(pairs_limit);
    for (std::size_t i = 0; i < pairs; ++i)
        bare.set_and_delete(bare.create(std::string(pairs_limit) + "/turn-1-lock-"));
}

} // namespace turnstile::bench
