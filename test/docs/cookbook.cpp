// SPDX-License-Identifier: BSL-1.0
// Small pieces of code that docs/cookbook.md shows.
#include "exit_code.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <turnstile.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

turnstile::session_options with_times() {
    turnstile::session_options options;
    options.servers = "zk1:2181,zk2:2181,zk3:2181";
    options.timeout = 15s;           // a dead holder keeps its locks for so long
    options.connect_timeout = 10s;   // connect() gives up after so long without a server
    options.unreachable_limit = 30s; // an acquire does, too
    options.label = "billing";       // `participants()` shows it
    return options;
}

turnstile::session& session_of(std::deque<turnstile::session>& sessions, std::string_view path) {
    return sessions[std::hash<std::string_view>{}(path) % sessions.size()];
}

asio::awaitable<void> spread(std::string servers) {
    const auto executor = co_await asio::this_coro::executor;
    std::deque<turnstile::session> sessions;
    for (int i = 0; i < 3; ++i)
        sessions.emplace_back(executor, turnstile::session_options{.servers = servers});
    for (const std::string path : {"/jobs/a", "/jobs/b", "/jobs/c", "/jobs/d"}) {
        turnstile::mutex job{session_of(sessions, path), path};
        turnstile::mutex same{session_of(sessions, path), path};
        const auto lock = co_await job.acquire();
        if (co_await same.try_acquire())
            throw std::logic_error("one path has two holders");
    }
    for (auto& each : sessions)
        co_await each.close();
}

asio::awaitable<void> wait_at_most(turnstile::session& session) {
    turnstile::mutex job{session, "/jobs/report"};
    const auto held = co_await job.acquire();
    auto [code, lock] = co_await job.acquire_for(100ms, asio::as_tuple(asio::deferred));
    if (code == turnstile::error::timeout)
        std::cout << "somebody else has had it for all this time\n";
    co_await session.close();
}

} // namespace

int main(int argc, char** argv) {
    const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    return exit_code_of(
        argc, argv,
        [&](turnstile::session& session) -> asio::awaitable<void> {
            co_await spread(servers);
            co_await wait_at_most(session);
        },
        with_times());
}
