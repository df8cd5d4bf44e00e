#include "work.hpp"

#include <iostream>

boost::asio::awaitable<void> work_under_lock(turnstile::mutex& lock) {
    auto held = co_await lock.acquire(); // waits in line, blocks no thread
    // Here your program works. The store gets the token with each write, and refuses an older one.
    std::cout << "working, token " << held.fencing_token() << '\n';
    co_await held.release();
}
