// SPDX-License-Identifier: BSL-1.0
// A coroutine that throws while it holds a lock, in the main function that the cookbook shows.
#include "exit_code.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <turnstile.hpp>

namespace {

boost::asio::awaitable<void> fail(turnstile::session& session) {
    turnstile::mutex orders{session, "/locks/orders"};
    const auto lock = co_await orders.acquire();
    throw std::runtime_error("something else went wrong");
}

/// The lock is free at once. If the session had not been closed, it would be held for 15 s more.
boost::asio::awaitable<void> take_over(turnstile::session& session) {
    turnstile::mutex orders{session, "/locks/orders"};
    auto lock = co_await orders.acquire_for(std::chrono::seconds(10));
    std::cout << "the next one has the lock\n";
    co_await lock.release();
    co_await session.close();
}

} // namespace

int main(int argc, char** argv) {
    if (exit_code_of(argc, argv, fail) != 1)
        return 2;
    return exit_code_of(argc, argv, take_over);
}
