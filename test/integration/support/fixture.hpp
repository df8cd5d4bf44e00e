// SPDX-License-Identifier: BSL-1.0
// What integration tests share: a server, an io_context that cannot hang, coroutines, an observer.
//
// Never co_await inside CHECK or REQUIRE: they hold the expression a second time, behind `false
// &&`, and GCC 12 awaits that as well.
#pragma once

#include "support/pch.hpp"
#include "support/zookeeper_server.hpp"

#include <turnstile.hpp>

#include <source_location>

namespace turnstile::test {

/// The server of this process, started at the first call. Tests that do it harm start their own.
zookeeper_server& shared_server();

/// Empty: the shared server.
session_options options_for(const std::string& servers = {});

/// "/locks/<name>-N", new at each call.
std::string fresh_path(std::string_view name);

/// Names under a node as another client sees them, sorted; empty if there is no such node.
std::vector<std::string> children_of(const std::string& path, const std::string& address = {});
/// How many nodes under the path belong to the session.
std::size_t tickets_of(const std::string& path, std::int64_t session_id,
                       const std::string& address = {});

/// Declare it before the sessions: then it outlives them.
struct fixture {
    using coroutine = std::function<boost::asio::awaitable<void>()>;
    using predicate = std::function<bool()>;
    static constexpr std::chrono::seconds default_limit{40};

    boost::asio::io_context context;

    /// Starts a coroutine on the context. Its exception comes out of the next run.
    void spawn(coroutine what);
    void spawn_on(const boost::asio::any_io_executor& where, coroutine what);

    /// Runs the context until `done()`, which is asked after each handler and every 20 ms. Rethrows
    /// what a spawned coroutine threw; fails the test if the limit is over, or nothing is left to
    /// be run.
    void run_until(const predicate& done, std::chrono::milliseconds limit = default_limit,
                   std::source_location where = std::source_location::current());
    /// Until all spawned coroutines have ended.
    void run_spawned(std::chrono::milliseconds limit = default_limit,
                     std::source_location where = std::source_location::current());
    /// Spawns it, and runs until it has ended.
    void run(coroutine what, std::chrono::milliseconds limit = default_limit,
             std::source_location where = std::source_location::current());
    /// Runs until the context has nothing left to do, as io_context::run does.
    void run_out(std::chrono::milliseconds limit = default_limit,
                 std::source_location where = std::source_location::current());

private:
    void rethrow();

    std::size_t running_ = 0;
    std::exception_ptr error_;
};

} // namespace turnstile::test

// The names that each integration test uses.
using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;
