// SPDX-License-Identifier: BSL-1.0
// The process that leads is told to stop.
#include "bare_client.hpp"
#include "progress.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"

#include "support/child_process.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <csignal>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* leaders_path = "/bench/leaders";

asio::awaitable<void> sleep(std::chrono::steady_clock::duration span) {
    asio::steady_timer timer(co_await asio::this_coro::executor, span);
    co_await timer.async_wait(asio::deferred);
}

class leaders_run {
public:
    leaders_run(asio::io_context& context, const target& server)
        : argv_{std::filesystem::read_symlink("/proc/self/exe").string(), "lead", "--server",
                server.servers()},
          eyes_(server.first()),
          session_(context, {.servers = server.servers()}),
          lock_(session_, leaders_path) {}

    asio::awaitable<void> run(std::size_t rounds) {
        auto first = co_await lock_.acquire(); // makes the path
        co_await first.release();
        for (std::size_t i = 0; i < rounds; ++i) {
            co_await round();
            shown_.at(i, rounds);
        }
        co_await session_.close();
    }

    row result() const {
        row result{.scenario = "leaders", .strategy = "turnstile", .lock = "mutex"};
        result.set_times(times_);
        return result;
    }

private:
    /// From the signal to the first line of the next leader, which is in this process.
    asio::awaitable<void> round() {
        test::child_process leader({.argv = argv_});
        co_await standing(1, leader);
        clock::time_point told;
        const auto work = [&]() -> asio::awaitable<void> {
            times_.add(clock::now() - told);
            co_return;
        };
        const auto stop = [&]() -> asio::awaitable<void> {
            co_await standing(2, leader);
            co_await sleep(std::chrono::milliseconds(20)); // it leads, and nobody else is at work
            told = clock::now();
            leader.signal(SIGTERM);
        };
        const auto executor = co_await asio::this_coro::executor;
        const auto [order, of_work, of_stop] =
            co_await asio::experimental::make_parallel_group(
                asio::co_spawn(executor, run_exclusively(lock_, work), asio::deferred),
                asio::co_spawn(executor, stop(), asio::deferred))
                .async_wait(asio::experimental::wait_for_one_error(), asio::deferred);
        for (const auto& failure : {of_stop, of_work})
            if (failure)
                std::rethrow_exception(failure);
        while (leader.running())
            co_await sleep(std::chrono::milliseconds(1));
        if (leader.exit_status() != 0)
            throw std::runtime_error("leaders: the leader did not end in order");
    }
    asio::awaitable<void> standing(std::size_t tickets, test::child_process& who) {
        while (eyes_.children(leaders_path) < tickets) {
            if (!who.running())
                throw std::runtime_error("leaders: a leader ended before it was told to");
            co_await sleep(std::chrono::milliseconds(2));
        }
    }

    std::vector<std::string> argv_;
    bare_client eyes_;
    progress shown_{"leaders"};
    session session_;
    mutex lock_;
    sample times_;
};

} // namespace

rows measure_leaders(const target& server, std::size_t rounds) {
    asio::io_context context(1);
    leaders_run run(context, server);
    run_to_end(context, run.run(rounds));
    return {run.result()};
}

void lead_until_told(const target& server) {
    run_with_session({.servers = server.servers()}, [](session& own) -> asio::awaitable<void> {
        mutex lock(own, leaders_path);
        exclusive_options how;
        how.stop_on = {SIGTERM};
        const auto work = [] { return sleep(std::chrono::hours(1)); };
        co_await run_exclusively(lock, work, how);
    });
}

} // namespace turnstile::bench
