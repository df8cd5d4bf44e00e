// SPDX-License-Identifier: BSL-1.0
// A counter in ZooKeeper itself. No holder that comes too late can spoil it, and it keeps no
// fencing token.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iostream>
#include <string>
#include <turnstile.hpp>

namespace asio = boost::asio;

const std::string path = "/locks/orders";
const std::string counter = "/locks/orders.count";

asio::awaitable<void> add_one(turnstile::session& session, turnstile::held_lock& lock) {
    const auto [missing, now] = co_await session.read(counter, asio::as_tuple(asio::use_awaitable));
    turnstile::node_writes change;
    if (missing) // else the guarded write fails as well
        change.create(counter, "1");
    else
        change.set(counter, std::to_string(std::stoi(now.data) + 1));
    co_await lock.write_guarded(change); // throws where the lock is not held any more
    const auto after = co_await session.read(counter);
    std::cout << "counted to " << after.data << std::endl;
}

asio::awaitable<void> count(turnstile::session& session) {
    turnstile::mutex orders{session, path};
    auto lock = co_await orders.acquire();
    co_await add_one(session, lock);
    co_await add_one(session, lock);

    // Somebody takes the lock away. A holder that was paused for too long finds the same.
    const auto line = co_await orders.list_participants();
    co_await orders.evict(line.front());
    const auto [refused, results] = co_await lock.write_guarded(
        turnstile::node_writes().set(counter, "7"), asio::as_tuple(asio::use_awaitable));
    std::cout << "too late: " << refused.message() << std::endl;
}

int main(int argc, char** argv) try {
    turnstile::session_options options;
    if (argc > 1)
        options.servers = argv[1];
    turnstile::run_with_session(options, count);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
