// SPDX-License-Identifier: BSL-1.0
// Who leads, and where it serves: candidates, and an observer that is told each change.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <iostream>
#include <turnstile.hpp>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

// Until it is cancelled.
asio::awaitable<void> follow(turnstile::election& reports) {
    for (turnstile::leader_info known;;) {
        const auto [failed, leader] =
            co_await reports.observe(known, asio::as_tuple(asio::use_awaitable));
        if (failed == turnstile::error::unreachable)
            continue; // no server for half a minute: it goes on where it was
        if (failed)
            throw boost::system::system_error(failed);
        known = leader;
        if (known)
            std::cout << known.value << " leads, token " << known.fencing_token << std::endl;
        else
            std::cout << "nobody leads" << std::endl;
    }
}

asio::awaitable<void> lead(turnstile::held_lock& leadership) {
    asio::steady_timer pause{co_await asio::this_coro::executor, 500ms};
    co_await pause.async_wait(asio::use_awaitable);
    co_await leadership.proclaim("10.0.0.7:8081"); // it serves elsewhere now
    pause.expires_after(500ms);
    co_await pause.async_wait(asio::use_awaitable);
}

asio::awaitable<void> take_part(turnstile::election& reports) {
    co_await turnstile::with_lock(reports.campaign("10.0.0.7:8080"), lead);
    asio::steady_timer pause{co_await asio::this_coro::executor, 500ms};
    co_await pause.async_wait(asio::use_awaitable);
}

asio::awaitable<void> elect(turnstile::session& session) {
    turnstile::election reports{session, "/leaders/reports"};
    co_await (take_part(reports) || follow(reports));
}

int main(int argc, char** argv) try {
    turnstile::session_options options;
    if (argc > 1)
        options.servers = argv[1];
    turnstile::run_with_session(options, elect);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
