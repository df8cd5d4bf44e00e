// SPDX-License-Identifier: BSL-1.0
// The process that holds the lock is killed.
#include "bare_client.hpp"
#include "line_watch.hpp"
#include "progress.hpp"
#include "quantile.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"

#include "support/child_process.hpp"
#include "support/temp_folder.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* death_path = "/bench/death";

/// This program's `hold` in a process of its own.
class holder {
public:
    holder(const target& server, std::chrono::milliseconds timeout)
        : process_({.argv = {std::filesystem::read_symlink("/proc/self/exe").string(), "hold",
                             "--server", server.servers(), "--timeout-ms",
                             std::to_string(timeout.count())},
                    .output_file = said_}) {}

    void kill() { process_.kill_and_wait(); }
    void check() {
        if (process_.running())
            return;
        std::ifstream in(said_);
        throw std::runtime_error("death: the process that was to hold the lock ended:\n" +
                                 std::string(std::istreambuf_iterator<char>(in), {}));
    }

private:
    test::temp_folder folder_{"turnstile-bench-"};
    std::filesystem::path said_ = folder_.path() / "said";
    test::child_process process_;
};

class death_run {
public:
    death_run(asio::io_context& context, const target& server, std::chrono::milliseconds timeout)
        : context_(context),
          server_(server),
          timeout_(timeout),
          eyes_(server.first()),
          session_(context, {.servers = server.servers(), .timeout = timeout}),
          lock_(session_, death_path) {}

    asio::awaitable<void> run(std::size_t rounds) {
        co_await session_.connect();
        {
            auto first = co_await lock_.acquire(); // makes the path
            co_await first.release();
        }
        for (std::size_t i = 0; i < rounds; ++i) {
            co_await round();
            shown_.at(i, rounds);
        }
        co_await session_.close();
    }
    const sample& times() const { return times_; }
    const std::vector<double>& multiples() const { return multiples_; }

private:
    asio::awaitable<void> round() {
        holder dying(server_, timeout_);
        co_await standing(1, dying);
        bool granted = false;
        std::exception_ptr error;
        asio::co_spawn(context_, wait_in_line(granted),
                       [&error](const std::exception_ptr& e) { error = e; });
        co_await standing(2, dying);
        killed_ = clock::now();
        dying.kill();
        asio::steady_timer pause(context_);
        while (!granted && !error) {
            pause.expires_after(std::chrono::milliseconds{10});
            co_await pause.async_wait(asio::deferred);
            eyes_.breathe();
        }
        if (error)
            std::rethrow_exception(error);
    }
    asio::awaitable<void> wait_in_line(bool& granted) {
        auto held = co_await lock_.acquire();
        const auto taken = clock::now() - killed_;
        times_.add(taken);
        multiples_.push_back(std::chrono::duration<double>(taken) /
                             std::chrono::duration<double>(timeout_));
        co_await held.release();
        granted = true;
    }
    asio::awaitable<void> standing(std::size_t tickets, holder& who) {
        asio::steady_timer pause(context_);
        while (eyes_.children(death_path) < tickets) {
            who.check();
            pause.expires_after(std::chrono::milliseconds{10});
            co_await pause.async_wait(asio::deferred);
        }
    }

    asio::io_context& context_;
    const target& server_;
    const std::chrono::milliseconds timeout_;
    bare_client eyes_;
    progress shown_{"death"};
    session session_;
    mutex lock_;
    clock::time_point killed_;
    sample times_;
    std::vector<double> multiples_;
};

} // namespace

rows measure_death(const target& server, std::chrono::milliseconds timeout, std::size_t rounds) {
    asio::io_context context(1);
    death_run run(context, server, timeout);
    run_to_end(context, run.run(rounds));
    row result{.scenario = "death", .strategy = "turnstile", .lock = "mutex"};
    result.timeout_ms = static_cast<std::size_t>(timeout.count());
    result.set_times(run.times());
    result.times_timeout = median(run.multiples());
    result.blocks["times_timeout"] = run.multiples();
    return {result};
}

void hold_until_killed(const target& server, std::chrono::milliseconds timeout) {
    asio::io_context context(1);
    session ours(context, {.servers = server.servers(), .timeout = timeout});
    mutex lock(ours, death_path);
    held_lock held;
    lock.acquire([&held](error_code error, held_lock taken) {
        if (error)
            throw boost::system::system_error(error, "hold");
        held = std::move(taken);
    });
    context.run(); // the session keeps it busy
}

} // namespace turnstile::bench
