// SPDX-License-Identifier: BSL-1.0
// A job that every machine starts, and one of them runs, with a time limit. The others see that it
// is taken, and leave.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <turnstile.hpp>
#include <variant>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

asio::awaitable<void> run_job(std::chrono::seconds effort) {
    std::cout << "running the job" << std::endl;
    asio::steady_timer work{co_await asio::this_coro::executor, effort};
    co_await work.async_wait(
        asio::deferred); // the time limit, or the loss of the lock, ends it here
    std::cout << "the job is done" << std::endl;
}

asio::awaitable<void> run_once(turnstile::session& session, std::chrono::seconds effort,
                               std::chrono::seconds limit) {
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    turnstile::mutex job{session, "/jobs/report"};
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer{executor, limit};
    const auto work = [&] { return run_job(effort); };
    const auto first = co_await (asio::co_spawn(executor, turnstile::try_with_lock(job, work),
                                                asio::as_tuple(asio::use_awaitable)) ||
                                 timer.async_wait(asio::use_awaitable));
    if (first.index() == 1) // the timer: try_with_lock has ended the job, and released the lock
        throw std::runtime_error("the job took too long, and was cancelled");
    const auto& [failure, ran] = std::get<0>(first);
    if (failure)
        std::rethrow_exception(failure);
    if (!ran)
        std::cout << "another machine runs the job" << std::endl;
}

int main(int argc, char** argv) try {
    const std::chrono::seconds effort{argc > 2 ? std::atoi(argv[2]) : 1};
    const std::chrono::seconds limit{argc > 3 ? std::atoi(argv[3]) : 600};
    turnstile::run_with_session(
        {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"},
        [=](turnstile::session& session) { return run_once(session, effort, limit); });
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
