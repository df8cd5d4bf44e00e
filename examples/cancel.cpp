// SPDX-License-Identifier: BSL-1.0
// Two ways to stop waiting for a lock: an operator, and a signal.
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <turnstile.hpp>
#include <variant>

namespace asio = boost::asio;

asio::awaitable<void> stop_by_operator(turnstile::mutex& orders) {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer enough{co_await asio::this_coro::executor, std::chrono::milliseconds(100)};
    auto first =
        co_await (orders.acquire(asio::use_awaitable) || enough.async_wait(asio::use_awaitable));
    if (auto* lock = std::get_if<turnstile::held_lock>(&first))
        co_await lock->release();
    else
        std::cout << "waited long enough\n";
}

asio::awaitable<void> stop_by_signal(turnstile::mutex& orders, asio::cancellation_signal& stop) {
    orders.acquire(asio::bind_cancellation_slot(
        stop.slot(), [](turnstile::error_code code, turnstile::held_lock) {
            if (code == asio::error::operation_aborted)
                std::cout << "was told to stop\n";
        }));
    asio::steady_timer enough{co_await asio::this_coro::executor, std::chrono::milliseconds(100)};
    co_await enough.async_wait(asio::use_awaitable);
    stop.emit(asio::cancellation_type::terminal); // on the thread of the acquire, or its strand
}

asio::awaitable<void> give_up_twice(turnstile::session& session) {
    turnstile::mutex orders{session, "/locks/orders"};
    const auto held = co_await orders.acquire(); // so that the others have to wait
    co_await stop_by_operator(orders);
    asio::cancellation_signal stop; // lives until the acquire has completed
    co_await stop_by_signal(orders, stop);
}

int main(int argc, char** argv) try {
    turnstile::run_with_session({.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}, give_up_twice);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
