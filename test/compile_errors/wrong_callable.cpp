// SPDX-License-Identifier: BSL-1.0
// expects: with_lock needs a function that is called with the held lock
#include <turnstile.hpp>

boost::asio::awaitable<void> work(turnstile::mutex& lock) {
    co_await turnstile::with_lock(lock, [](int) -> boost::asio::awaitable<void> { co_return; });
}
