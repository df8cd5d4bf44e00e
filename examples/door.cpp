// SPDX-License-Identifier: BSL-1.0
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <iostream>
#include <turnstile.hpp>

namespace asio = boost::asio;

asio::awaitable<void> work(turnstile::held_lock& lock) {
    std::cout << "holding, token " << lock.fencing_token() << std::endl;
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer pause{executor, std::chrono::seconds(3)}; // here you do your work
    co_await pause.async_wait(asio::use_awaitable);
    std::cout << "releasing" << std::endl;
}

asio::awaitable<void> enter(turnstile::session& session) {
    turnstile::mutex door{session, "/locks/door"};
    std::cout << "waiting" << std::endl;
    co_await turnstile::with_lock(door, work);
}

int main(int argc, char** argv) try {
    asio::io_context context;
    turnstile::session session{context, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};
    asio::co_spawn(context, enter(session), [&](std::exception_ptr failure) {
        session.close(asio::detached); // an open session keeps run() from returning
        if (failure)
            std::rethrow_exception(failure);
    });
    context.run();
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
