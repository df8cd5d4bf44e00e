// SPDX-License-Identifier: BSL-1.0
#include "work.hpp"

#include <iostream>

namespace {

// Here your program works. The store gets the token with each write, and refuses an older one. A
// loss of the lock cancels it at its next co_await.
boost::asio::awaitable<void> work(turnstile::held_lock& held) {
    std::cout << "working, token " << held.fencing_token() << '\n';
    co_return;
}

} // namespace

boost::asio::awaitable<void> work_under_lock(turnstile::mutex& lock) {
    co_await turnstile::with_lock(lock, work); // waits in line, blocks no thread
}
