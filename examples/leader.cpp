// SPDX-License-Identifier: BSL-1.0
// Several processes, one of which leads. It leads until SIGTERM, or until it loses the lock. Then
// another one takes over.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <turnstile.hpp>
#include <unistd.h>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> lead(turnstile::held_lock& lock) {
    std::cout << getpid() << " leads, token " << lock.fencing_token() << std::endl;
    asio::steady_timer pause{co_await asio::this_coro::executor};
    for (;;) { // a loss of the lock, and SIGTERM, end it here
        pause.expires_after(1s);
        co_await pause.async_wait(asio::deferred);
        std::cout << getpid() << " does the leader's work" << std::endl;
    }
}

asio::awaitable<void> take_part(turnstile::session& session) {
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    turnstile::mutex leadership{session, "/leaders/reports"};
    turnstile::exclusive_options how;
    how.stop_on = {SIGINT, SIGTERM};
    co_await turnstile::run_exclusively(leadership, lead, how);
    std::cout << getpid() << " steps down" << std::endl;
}

int main(int argc, char** argv) try {
    turnstile::run_with_session({.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}, take_part);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
