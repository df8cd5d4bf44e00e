// SPDX-License-Identifier: BSL-1.0
// At most three calls of a service at a time, over all processes on all hosts.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <turnstile.hpp>
#include <vector>

namespace asio = boost::asio;

asio::awaitable<void> call_the_service(turnstile::semaphore& slots, int& running, int number) {
    auto slot = co_await slots.acquire(); // first come, first served
    std::cout << "call " << number << ", " << ++running << " at a time\n";
    asio::steady_timer answer{co_await asio::this_coro::executor, std::chrono::milliseconds(50)};
    co_await answer.async_wait(asio::deferred);
    --running;
    co_await slot.release();
}

asio::awaitable<void> call_ten_times(turnstile::session& session) {
    turnstile::semaphore slots{session, "/limits/service", 3}; // the limit is stored with the path
    int running = 0;
    const auto executor = co_await asio::this_coro::executor;
    using call =
        decltype(asio::co_spawn(executor, call_the_service(slots, running, 0), asio::deferred));
    std::vector<call> calls;
    for (int number = 1; number <= 10; ++number)
        calls.push_back(
            asio::co_spawn(executor, call_the_service(slots, running, number), asio::deferred));
    const auto [order, errors] =
        co_await asio::experimental::make_parallel_group(std::move(calls))
            .async_wait(asio::experimental::wait_for_all(), asio::deferred);
    for (const auto& error : errors)
        if (error)
            std::rethrow_exception(error);
}

int main(int argc, char** argv) try {
    turnstile::run_with_session({.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}, call_ten_times);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
