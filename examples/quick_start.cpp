// SPDX-License-Identifier: BSL-1.0
#include <boost/asio/awaitable.hpp>
#include <iostream>
#include <turnstile.hpp>

boost::asio::awaitable<void> work(turnstile::held_lock& lock) {
    // The store gets this number with each read and each write.
    std::cout << "holding, token " << lock.fencing_token() << '\n';
    co_return; // a loss of the lock would cancel it at its next co_await
}

boost::asio::awaitable<void> serve(turnstile::session& session) {
    turnstile::mutex orders{session, "/locks/orders"};
    co_await turnstile::with_lock(orders, work); // waits in line, works, releases
}

int main(int argc, char** argv) try {
    turnstile::run_with_session({.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}, serve);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
