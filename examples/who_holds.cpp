// SPDX-License-Identifier: BSL-1.0
// Who holds a lock, who waits, and how many stand before one's own place. An operator's program can
// take the lock from a holder that hangs.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstddef>
#include <exception>
#include <iostream>
#include <turnstile.hpp>
#include <utility>

namespace asio = boost::asio;

asio::awaitable<void> print_line(turnstile::mutex& lock) {
    std::size_t ahead = 0;
    for (const turnstile::participant& one : co_await lock.list_participants()) {
        std::cout << ahead++ << " ahead: " << (one.foreign ? "another library" : one.label)
                  << (one.holds ? ", holds the lock" : ", waits")
                  << (one.handles > 0 ? ", this process\n" : "\n");
    }
}

asio::awaitable<void> take_it_from_its_holder(turnstile::mutex& lock) {
    for (const turnstile::participant& one : co_await lock.list_participants()) {
        if (one.holds)
            co_await lock.evict(one); // its holder is told: error::ticket_deleted
    }
}

asio::awaitable<void> hang(turnstile::held_lock lock) {
    const auto [why] = co_await lock.wait_lost(asio::as_tuple(asio::deferred));
    std::cout << "the holder is told: " << why.message() << '\n';
}

asio::awaitable<void> look(turnstile::session& session) {
    turnstile::mutex report{session, "/locks/report"};
    auto kept = co_await report.acquire();
    asio::co_spawn(co_await asio::this_coro::executor, hang(std::move(kept)), asio::detached);
    co_await print_line(report);
    co_await take_it_from_its_holder(report);
    auto lock = co_await report.acquire();
    co_await print_line(report);
    co_await lock.release();
}

int main(int argc, char** argv) try {
    turnstile::run_with_session(
        {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181", .label = "reports on host 7"}, look);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
