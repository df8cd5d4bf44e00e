// SPDX-License-Identifier: BSL-1.0
// One session and many coroutines on a pool of threads. Each coroutine has a strand of its own.
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <turnstile.hpp>
#include <vector>

namespace asio = boost::asio;

using accounts = std::array<int, 2>; // plain numbers: the locks guard them

asio::awaitable<void> pay_in(turnstile::session& session, accounts& all, std::size_t which) {
    turnstile::mutex account{session, "/locks/accounts/" + std::to_string(which)};
    for (int i = 0; i < 10; ++i) {
        auto lock = co_await account.acquire();
        ++all[which];
        co_await lock.release();
    }
}

asio::awaitable<void> pay(turnstile::session& session, asio::thread_pool& pool) {
    accounts all{};
    const auto start = [&](std::size_t number) {
        return asio::co_spawn(asio::make_strand(pool), pay_in(session, all, number % all.size()),
                              asio::deferred);
    };
    std::vector<decltype(start(0))> payments;
    for (std::size_t number = 0; number < 8; ++number)
        payments.push_back(start(number));
    const auto [order, failures] =
        co_await asio::experimental::make_parallel_group(std::move(payments))
            .async_wait(asio::experimental::wait_for_all(), asio::deferred);
    for (const auto& failure : failures)
        if (failure)
            std::rethrow_exception(failure);
    std::cout << "accounts: " << all[0] << " and " << all[1] << '\n';
    co_await session.close();
}

int main(int argc, char** argv) try {
    asio::thread_pool pool{4};
    turnstile::session session{pool, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};
    session.connect(asio::use_future).get(); // no server: better told now
    asio::co_spawn(asio::make_strand(pool), pay(session, pool), asio::use_future).get();
} catch (
    const std::exception& e) { // the destructors have closed the session and joined the threads
    std::cerr << e.what() << '\n';
    return 1;
}
