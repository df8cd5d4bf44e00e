// SPDX-License-Identifier: BSL-1.0
// Several processes, one of which leads. It leads until SIGTERM, or until it loses the lock. Then
// another one takes over.
#include "first_of.hpp"
#include "run_with_session.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
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

asio::awaitable<void> lead_again_and_again(turnstile::session& session) {
    turnstile::mutex leadership{session, "/leaders/reports"};
    for (;;) {
        try {
            co_await turnstile::with_lock(leadership, lead);
        } catch (const boost::system::system_error& e) {
            if (e.code() != turnstile::condition::lock_lost ||
                e.code() == turnstile::error::session_closed) // no further lock from this session
                throw;
            std::cout << getpid() << " leads no longer: " << e.what() << std::endl;
        }
    }
}

asio::awaitable<void> take_part(turnstile::session& session) {
    asio::signal_set stop{co_await asio::this_coro::executor, SIGINT, SIGTERM};
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    // The signal cancels the other one. There with_lock ends lead(), and releases the lock.
    co_await first_of(lead_again_and_again(session), stop.async_wait(asio::use_awaitable));
    std::cout << getpid() << " steps down" << std::endl;
    co_await session.close();
}

int main(int argc, char** argv) { return run_with_session(argc, argv, take_part); }
