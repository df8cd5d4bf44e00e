// SPDX-License-Identifier: BSL-1.0
// expects: run_exclusively needs a function that is called with the held lock
#include <turnstile.hpp>

boost::asio::awaitable<void> work(turnstile::mutex& lock) {
    co_await turnstile::run_exclusively(lock, []() -> boost::asio::awaitable<int> { co_return 5; });
}
