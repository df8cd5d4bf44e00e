// SPDX-License-Identifier: BSL-1.0
// The code that docs/interop.md shows: a lock with the names of Curator's read-write lock.
#include "exit_code.hpp"

#include <boost/asio/awaitable.hpp>
#include <iostream>
#include <turnstile.hpp>

namespace {

boost::asio::awaitable<void> show(turnstile::session& session) {
    turnstile::shared_mutex orders{
        session, "/locks/orders", {.names = turnstile::lock_names::curator}};
    auto first = co_await orders.shared().acquire();
    auto second = co_await orders.shared().acquire();
    std::cout << "two readers\n";
    co_await first.release();
    co_await second.release();
    auto writer = co_await orders.acquire();
    std::cout << "one writer\n";
    co_await writer.release();
    co_await session.close();
}

} // namespace

int main(int argc, char** argv) { return exit_code_of(argc, argv, show); }
