// SPDX-License-Identifier: BSL-1.0
// A job that every machine starts, and one of them runs, with a time limit. The others see that it
// is taken, and leave.
#include "first_of.hpp"
#include "run_with_session.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <turnstile.hpp>

namespace asio = boost::asio;

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
    asio::steady_timer timer{co_await asio::this_coro::executor, limit};
    bool ran = false;
    const auto try_job = [&]() -> asio::awaitable<void> {
        ran = co_await turnstile::try_with_lock(job, [&] { return run_job(effort); });
    };
    const auto earlier = co_await first_of(try_job(), timer.async_wait(asio::use_awaitable));
    if (earlier == 1) // the timer: try_with_lock has ended the job, and released the lock
        throw std::runtime_error("the job took too long, and was cancelled");
    if (!ran)
        std::cout << "another machine runs the job" << std::endl;
    co_await session.close();
}

int main(int argc, char** argv) {
    const std::chrono::seconds effort{argc > 2 ? std::atoi(argv[2]) : 1};
    const std::chrono::seconds limit{argc > 3 ? std::atoi(argv[3]) : 600};
    return run_with_session(
        argc, argv, [=](turnstile::session& session) { return run_once(session, effort, limit); });
}
