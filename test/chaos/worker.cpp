// SPDX-License-Identifier: BSL-1.0
// turnstile-chaos-worker: contenders for locks in a process of their own, which can be paused and
// killed. The schedule sends it lines on its standard input. "cancel-storm" cancels all acquires
// under way. "heal" says that the faults are over: each contender acquires once more, and then the
// worker ends. A worker can also observe elections instead, until another program leads them.
#include "contender.hpp"
#include "observer.hpp"
#include "worker_book.hpp"
#include "worker_exit.hpp"
#include "worker_setting.hpp"

#include "support/server_settings.hpp"

#include <CLI/CLI.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <list>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::chaos;
using std::chrono::milliseconds;

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

struct worker_options {
    std::string name;
    std::string servers;
    std::string authorities;
    std::string folder;
    std::uint16_t store = 0;
    std::size_t contenders = 8;
    std::size_t first = 0; ///< how many contenders the workers before this one have
    bool observes = false; ///< observes all elections, with each session
    std::size_t sessions = 2;
    std::uint64_t locks = 16;
    std::string only{name_of(lock_mix::all)}; ///< the kinds of lock
    std::uint64_t seed = 1;
    std::string guard; ///< the socket of the host guard; empty: none
    std::string settings{test::name_of_settings(test::server_settings::usual)}; ///< of the servers
    int timeout_ms = 2'500;
    int tick_ms = 250;
};

lock_mix mix_of(const std::string& only) {
    const auto result = lock_mix_called(only);
    if (!result)
        throw std::invalid_argument{"no kind of lock is called " + only};
    return *result;
}

/// All that runs in this process, on its one thread. finish() ends it: after the last contender or
/// observer, or at a signal. Then the sessions are closed.
class worker {
public:
    explicit worker(const worker_options& how)
        : book_{how.folder + "/history", how.name},
          setting_{book_, how.store, {how.locks, mix_of(how.only)}} {
        session_options options;
        options.servers = how.servers;
        if (!how.authorities.empty())
            options.tls = tls_options{.authorities_file = how.authorities};
        options.timeout = milliseconds{how.timeout_ms};
        if (how.seed % 2 == 0) // half of the workers state the servers' tick
            options.tick = milliseconds{how.tick_ms};
        options.unreachable_limit = std::chrono::seconds{10};
        options.shortest_backoff = milliseconds{20};
        options.longest_backoff = milliseconds{300};
        options.label = how.name;
        test::adapt(options, test::server_settings_called(how.settings));
        options.host_guard = how.guard;
        options.log.level = log_level::error;
        for (std::size_t i = 0; i < how.sessions; ++i)
            sessions_.emplace_back(context_, options);
        std::mt19937_64 seeds{how.seed};
        auto owner = sessions_.begin();
        for (std::size_t i = 0; i < how.contenders; ++i) {
            contenders_.push_back(
                std::make_unique<contender>(setting_, *owner, how.first + i, seeds()));
            owner = std::next(owner) == sessions_.end() ? sessions_.begin() : std::next(owner);
        }
        for (auto& each : sessions_)
            for (std::uint64_t number = 0; how.observes && number < how.locks; ++number)
                if (const auto lock = setting_.locks[number]; lock.sort() == lock_sort::election)
                    observers_.push_back(std::make_unique<observer>(setting_, each, lock));
        book_.start(options.timeout);
    }

    /// Returns the exit code.
    int run() {
        asio::co_spawn(context_, obey_commands(), asio::detached);
        signals_.async_wait([this](const error_code& failure, int) {
            if (!failure)
                finish();
        });
        for (auto& s : sessions_)
            asio::co_spawn(context_, note_sessions(s), asio::detached);
        running_ = contenders_.size() + observers_.size();
        const auto ended = [this](std::exception_ptr failure) {
            if (failure)
                std::rethrow_exception(failure);
            if (--running_ == 0)
                finish();
        };
        for (const auto& c : contenders_)
            asio::co_spawn(context_, c->run(), ended);
        for (const auto& o : observers_)
            asio::co_spawn(context_, o->run(), ended);
        context_.run();
        return static_cast<int>(std::min<std::size_t>(not_served_, most_not_served));
    }

private:
    asio::awaitable<void> obey_commands() {
        asio::streambuf buffer;
        for (;;) {
            const auto [failure, size] =
                co_await asio::async_read_until(input_, buffer, '\n', no_throw);
            if (failure)
                co_return;
            std::string line(size - 1, ' ');
            buffer.sgetn(line.data(), static_cast<std::streamsize>(line.size()));
            buffer.consume(1);
            if (line == "cancel-storm" && !setting_.healed)
                for (const auto& c : contenders_)
                    c->cancel();
            else if (line == "heal")
                setting_.healed = true;
        }
    }

    /// Writes each ZooKeeper session of this object into the history.
    asio::awaitable<void> note_sessions(session& s) {
        std::int64_t noted = 0;
        auto known = s.state();
        for (;;) {
            if (s.id() != noted && s.id() != 0) {
                noted = s.id();
                book_.session(noted);
            }
            error_code failure;
            std::tie(failure, known) = co_await s.wait_state_change(known, no_throw);
            if (failure)
                co_return;
        }
    }

    void finish() {
        if (!finished_) {
            finished_ = true;
            asio::co_spawn(context_, close_all(), [](std::exception_ptr failure) {
                if (failure)
                    std::rethrow_exception(failure);
            });
        }
    }

    asio::awaitable<void> close_all() {
        not_served_ = static_cast<std::size_t>(std::count_if(
            contenders_.begin(), contenders_.end(), [](const auto& c) { return !c->served(); }));
        for (const auto& o : observers_)
            o->tell();
        for (auto& s : sessions_)
            co_await s.close(no_throw);
        book_.stop(not_served_);
        context_.stop();
    }

    asio::io_context context_{1};
    worker_book book_;
    worker_setting setting_;
    asio::posix::stream_descriptor input_{context_, ::dup(STDIN_FILENO)};
    asio::signal_set signals_{context_, SIGTERM, SIGINT};
    std::list<session> sessions_;
    std::vector<std::unique_ptr<contender>> contenders_;
    std::vector<std::unique_ptr<observer>> observers_;
    std::size_t running_ = 0;    // contenders and observers that have not ended
    std::size_t not_served_ = 0; // contenders, known once the sessions are to be closed
    bool finished_ = false;      // finish() was called
};

} // namespace

int main(int argc, char** argv) {
    worker_options how;
    CLI::App app{"Contenders for locks, for turnstile-chaos"};
    app.add_option("--name", how.name)->required();
    app.add_option("--servers", how.servers)->required();
    app.add_option("--folder", how.folder)->required();
    app.add_option("--store", how.store, "port of the fenced store");
    app.add_option("--contenders", how.contenders);
    app.add_option("--first", how.first, "contenders of the workers before this one");
    app.add_flag("--observes", how.observes, "observe the elections, instead of contenders");
    app.add_option("--sessions", how.sessions);
    app.add_option("--locks", how.locks);
    app.add_option("--only", how.only, "kind of lock");
    app.add_option("--seed", how.seed);
    app.add_option("--tls-ca", how.authorities, "speak TLS");
    app.add_option("--guard", how.guard, "socket of the host's guard");
    app.add_option("--settings", how.settings, "of the servers");
    app.add_option("--timeout-ms", how.timeout_ms);
    app.add_option("--tick-ms", how.tick_ms);
    CLI11_PARSE(app, argc, argv);
    try {
        return worker{how}.run();
    } catch (const std::exception& e) {
        std::cerr << "turnstile-chaos-worker " << how.name << ": " << e.what() << '\n';
        return worker_failed;
    }
}
