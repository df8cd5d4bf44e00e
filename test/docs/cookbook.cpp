// Small pieces of code that docs/cookbook.md shows.
#include "run_with_session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <chrono>
#include <iostream>
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

asio::awaitable<void> wait_at_most(turnstile::session& session) {
    turnstile::mutex job{session, "/jobs/report"};
    const auto held = co_await job.acquire();
    auto [code, lock] = co_await job.acquire_for(100ms, asio::as_tuple(asio::deferred));
    if (code == turnstile::error::timeout)
        std::cout << "somebody else has had it for all this time\n";
    co_await session.close();
}

} // namespace

int main(int argc, char** argv) { return run_with_session(argc, argv, wait_at_most, with_times()); }
