// SPDX-License-Identifier: BSL-1.0
#include "work.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>

int main() try {
    const char* servers = std::getenv("TURNSTILE_SERVERS");
    const auto run = [](turnstile::session& session) -> boost::asio::awaitable<void> {
        turnstile::mutex lock{session, "/locks/orders"};
        co_await work_under_lock(lock);
    };
    turnstile::run_with_session({.servers = servers ? servers : "127.0.0.1:2181"}, run);
} catch (const std::exception& e) {
    std::cerr << "orders: " << e.what() << '\n';
    return 1;
}
