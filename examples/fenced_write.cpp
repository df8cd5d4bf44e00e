// SPDX-License-Identifier: BSL-1.0
// A worker that reads, works, and writes back under a lock. The store refuses it if it comes too
// late, and the loss of the lock cancels it.
#include "order_store.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <turnstile.hpp>

namespace asio = boost::asio;

asio::awaitable<void> pack_one(order_store& store, turnstile::held_lock& lock,
                               std::chrono::seconds effort) {
    const auto token = lock.fencing_token();
    const int packed = store.read("4711", token); // registers the token
    std::cout << "token " << token << ": read " << packed << std::endl;
    asio::steady_timer work{co_await asio::this_coro::executor, effort};
    co_await work.async_wait(asio::deferred); // the loss of the lock ends it here
    store.write("4711", packed + 1, token);
    std::cout << "token " << token << ": wrote " << packed + 1 << std::endl;
}

asio::awaitable<void> pack(turnstile::session& session, std::string file,
                           std::chrono::seconds effort) {
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    order_store store{file};
    turnstile::mutex order{session, "/locks/orders/4711"};
    co_await turnstile::with_lock(
        order, [&](turnstile::held_lock& lock) { return pack_one(store, lock, effort); });
}

int main(int argc, char** argv) try {
    const std::string file = argc > 2 ? argv[2] : "orders.db";
    const std::chrono::seconds effort{argc > 3 ? std::atoi(argv[3]) : 1};
    turnstile::run_with_session(
        {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"},
        [=](turnstile::session& session) { return pack(session, file, effort); });
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
