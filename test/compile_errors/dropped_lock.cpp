// SPDX-License-Identifier: BSL-1.0
// expects of clang: ignoring return value
#include <turnstile.hpp>

boost::asio::awaitable<void> work(turnstile::mutex& lock) { co_await lock.acquire(); }
