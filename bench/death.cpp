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

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* death_path = "/bench/death";

using words = std::vector<std::string>;

std::string text_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A program that runs until it is killed.
class killed_process {
public:
    explicit killed_process(words argv)
        : process_({.argv = std::move(argv), .output_file = said_file_}) {}

    void kill() { process_.kill_and_wait(); }
    std::string said() const { return text_in(said_file_); }
    void check() {
        if (!process_.running())
            throw std::runtime_error("death: a process that was to be killed ended:\n" + said());
    }

private:
    test::temp_folder folder_{"turnstile-bench-"};
    std::filesystem::path said_file_ = folder_.path() / "said";
    test::child_process process_;
};

/// Who dies, and whose sessions somebody ends.
enum class victim { program, guarded_program, command };

class death_run {
public:
    death_run(asio::io_context& context, const target& server, const death_choice& how,
              victim which)
        : context_(context),
          how_(how),
          which_(which),
          holder_(holder_of(server)),
          eyes_(server.first()),
          session_(context, {.servers = server.servers(), .timeout = how.timeout}),
          lock_(session_, death_path) {
        if (which == victim::guarded_program)
            guard_.emplace(words{how.command, "guard", "--socket", socket_});
    }

    asio::awaitable<void> run(std::size_t rounds) {
        co_await session_.connect();
        {
            auto first = co_await lock_.acquire(); // makes the path
            co_await first.release();
        }
        if (guard_)
            co_await saying(*guard_, "sessions may register");
        for (std::size_t i = 0; i < rounds; ++i) {
            co_await round();
            if (which_ == victim::guarded_program)
                co_await restart_round();
            shown_.at(i, rounds);
        }
        co_await session_.close();
    }

    rows result() const {
        constexpr std::array names{"turnstile", "turnstile-guard", "turnstile-run"};
        const auto* const name = names.at(static_cast<std::size_t>(which_));
        rows all{row_of("death", name, times_)};
        if (which_ == victim::guarded_program)
            all.push_back(row_of("restart", name, restarts_));
        return all;
    }

private:
    words holder_of(const target& server) const {
        if (which_ == victim::command)
            return {how_.command,     "run",       "--server",
                    server.servers(), "--timeout", std::to_string(how_.timeout.count()) + "ms",
                    death_path,       "--",        "sleep",
                    "infinity"};
        words argv{std::filesystem::read_symlink("/proc/self/exe").string(),
                   "hold",
                   "--server",
                   server.servers(),
                   "--timeout-ms",
                   std::to_string(how_.timeout.count())};
        if (which_ == victim::guarded_program)
            argv.insert(argv.end(), {"--guard", socket_});
        return argv;
    }

    row row_of(const char* scenario, const char* name,
               const std::vector<clock::duration>& all) const {
        row result{.scenario = scenario, .strategy = name, .lock = "mutex"};
        result.timeout_ms = static_cast<std::size_t>(how_.timeout.count());
        sample times;
        std::vector<double> multiples;
        for (const auto each : all) {
            times.add(each);
            multiples.push_back(std::chrono::duration<double>(each) /
                                std::chrono::duration<double>(how_.timeout));
        }
        result.set_times(times);
        result.times_timeout = median(multiples);
        result.blocks["times_timeout"] = multiples;
        return result;
    }

    /// From the kill to the first line of the next in line.
    asio::awaitable<void> round() {
        killed_process dying(holder_);
        co_await holding(dying);
        bool granted = false;
        std::exception_ptr error;
        asio::co_spawn(context_, wait_in_line(granted),
                       [&error](const std::exception_ptr& e) { error = e; });
        co_await standing(2, dying);
        killed_ = clock::now();
        dying.kill();
        while (!granted && !error) {
            co_await pause();
            eyes_.breathe();
        }
        if (error)
            std::rethrow_exception(error);
    }
    asio::awaitable<void> wait_in_line(bool& granted) {
        co_await run_exclusively(lock_, [this]() -> asio::awaitable<void> {
            times_.push_back(clock::now() - killed_);
            co_return;
        });
        granted = true;
    }
    /// From the kill to the same program, started anew.
    asio::awaitable<void> restart_round() {
        killed_process dying(holder_);
        co_await holding(dying);
        const auto begun = clock::now();
        dying.kill();
        killed_process again(holder_);
        co_await saying(again, "granted");
        restarts_.push_back(clock::now() - begun);
    }
    asio::awaitable<void> holding(killed_process& who) {
        co_await standing(1, who);
        if (which_ == victim::guarded_program) {
            co_await saying(who, "granted");
            co_await saying(who, "registered with the guard");
        }
    }
    asio::awaitable<void> standing(std::size_t tickets, killed_process& who) {
        while (eyes_.children(death_path) < tickets) {
            who.check();
            co_await pause();
        }
    }
    asio::awaitable<void> saying(killed_process& who, const std::string& what) {
        while (who.said().find(what) == std::string::npos) {
            who.check();
            co_await pause(std::chrono::milliseconds(1));
        }
    }
    asio::awaitable<void>
    pause(std::chrono::milliseconds how_long = std::chrono::milliseconds(10)) {
        asio::steady_timer timer(context_, how_long);
        co_await timer.async_wait(asio::deferred);
    }

    asio::io_context& context_;
    const death_choice& how_;
    const victim which_;
    test::temp_folder folder_{"turnstile-bench-"};
    const std::string socket_ = (folder_.path() / "guard.sock").string();
    const words holder_;
    std::optional<killed_process> guard_{};
    bare_client eyes_;
    progress shown_{"death"};
    session session_;
    mutex lock_;
    clock::time_point killed_;
    std::vector<clock::duration> times_;
    std::vector<clock::duration> restarts_;
};

rows measure(const target& server, const death_choice& how, victim which, std::size_t rounds) {
    if (rounds == 0)
        return {};
    asio::io_context context(1);
    death_run run(context, server, how, which);
    run_to_end(context, run.run(rounds));
    return run.result();
}

} // namespace

rows measure_death(const target& server, const death_choice& how) {
    auto all = measure(server, how, victim::program, how.rounds);
    const auto append = [&](rows more) { std::ranges::move(more, std::back_inserter(all)); };
    append(measure(server, how, victim::guarded_program, how.guarded_rounds));
    append(measure(server, how, victim::command, how.guarded_rounds));
    return all;
}

void hold_until_killed(const target& server, std::chrono::milliseconds timeout,
                       const std::string& guard) {
    asio::io_context context(1);
    session ours(context, {.servers = server.servers(),
                           .timeout = timeout,
                           .host_guard = guard,
                           .log = {.level = log_level::info}}); // which `death` reads
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
