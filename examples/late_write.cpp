// SPDX-License-Identifier: BSL-1.0
// What a store with fencing tokens is for: the last holder writes late, between the next holder's
// read and its write. The store refuses it, since the read has registered the newer token.
#include "order_store.hpp"

#include <exception>
#include <iostream>
#include <turnstile.hpp>

namespace asio = boost::asio;

asio::awaitable<void> show(turnstile::session& session) {
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    order_store store{""};                                   // in a file that SQLite deletes
    turnstile::mutex order{session, "/locks/orders/4711"};

    auto first = co_await order.acquire();
    const auto old_one = first.fencing_token();
    const int seen_first = store.read("4711", old_one);
    std::cout << "first holder: read " << seen_first << '\n';
    // The first holder is paused here. Its lease runs out, as if it had released the lock.
    co_await first.release();

    auto second = co_await order.acquire();
    const auto new_one = second.fencing_token();
    const int seen_second = store.read("4711", new_one);
    std::cout << "second holder: read " << seen_second << '\n';

    try { // the first holder goes on
        store.write("4711", seen_first + 1, old_one);
    } catch (const old_token& e) {
        std::cout << "first holder: " << e.what() << '\n';
    }
    store.write("4711", seen_second + 1, new_one);
    std::cout << "second holder: wrote " << store.read("4711", new_one) << '\n';
    co_await second.release();
}

int main(int argc, char** argv) try {
    turnstile::run_with_session({.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}, show);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
