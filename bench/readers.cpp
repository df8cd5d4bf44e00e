// SPDX-License-Identifier: BSL-1.0
// One writer's release lets a crowd of readers in.
#include "bare_hand_off.hpp"
#include "bare_rows.hpp"
#include "first_failure.hpp"
#include "line_watch.hpp"
#include "progress.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* readers_path = "/bench/readers";
constexpr std::size_t reader_rounds = 100;
constexpr std::size_t on_one_ticket = 65; // readers: the first, and those that join it

/// One run: the readers line up behind a writer of a session of its own, round after round.
class readers_run {
public:
    readers_run(asio::io_context& context, const target& server, std::size_t readers,
                std::size_t sessions)
        : server_(server),
          readers_(readers),
          shown_("readers " + std::to_string(readers)),
          context_(context) {
        for (std::size_t i = 0; i <= sessions; ++i) {
            sessions_.push_back(std::make_unique<session>(context_, server.options(i)));
            locks_.push_back(std::make_unique<shared_mutex>(*sessions_.back(), readers_path));
        }
        for (std::size_t i = 0; i < sessions; ++i)
            tickets_ +=
                (readers / sessions + (i < readers % sessions ? 1 : 0) + on_one_ticket - 1) /
                on_one_ticket;
    }

    asio::awaitable<void> run() {
        for (const auto& each : sessions_)
            co_await each->connect();
        for (std::size_t i = 0; i < reader_rounds; ++i) {
            co_await let_in();
            shown_.at(i, reader_rounds);
        }
        result_.line_up_s = result_.line_up_s.value_or(0) / reader_rounds;
        result_.drain_s = result_.drain_s.value_or(0) / reader_rounds;
        if (events_)
            result_.watch_events_per_release = *events_ / reader_rounds;
        result_.threads = threads_of_this_process();
        for (const auto& each : sessions_)
            co_await each->close();
    }

    rows result() const {
        auto ours = result_;
        ours.scenario = "wakeup";
        ours.waiters = readers_;
        ours.sessions = locks_.size() - 1; // and the writer's
        return beside_bare_client(ours, {.kind = "readers"}, times_, bare_.plain(),
                                  bare_.redirected());
    }

private:
    asio::awaitable<void> let_in() {
        const auto start = clock::now();
        auto writer = co_await locks_.back()->acquire();
        reading_ = done_ = 0;
        all_read_.expires_at(asio::steady_timer::time_point::max());
        for (std::size_t i = 0; i < readers_; ++i)
            asio::co_spawn(context_, read(i % (locks_.size() - 1)), failure_.handler());
        co_await watch_.complete(tickets_ + 1, shown_); // with the writer's
        co_await watch_.settled();
        result_.line_up_s = result_.line_up_s.value_or(0) +
                            std::chrono::duration<double>(clock::now() - start).count();
        const auto events_before = watch_.events();
        // Both pairs of bare clients are in use from sample to sample.
        bare_.sample_both();
        released_ = clock::now();
        co_await writer.release();
        co_await all_are_done();
        if (const auto all = watch_.events(); all && events_before)
            events_ = events_.value_or(0) + *all - *events_before - 2; // the bare clients'
    }

    // A reader reads until the last one has come: none ends while others are still let in.
    asio::awaitable<void> read(std::size_t in_session) {
        auto lock = co_await locks_[in_session]->shared().acquire();
        if (++reading_ == readers_) {
            last_came_ = clock::now();
            times_.add(last_came_ - released_);
            all_read_.cancel();
        } else {
            co_await all_read_.async_wait(asio::as_tuple(asio::deferred));
        }
        co_await lock.release();
        if (++done_ == readers_)
            over_.cancel();
    }

    asio::awaitable<void> all_are_done() {
        for (failure_.check(); done_ < readers_; failure_.check())
            co_await over_.async_wait(asio::as_tuple(asio::deferred));
        result_.drain_s = result_.drain_s.value_or(0) +
                          std::chrono::duration<double>(clock::now() - last_came_).count();
        bare_.breathe();
    }

    const target& server_;
    const std::size_t readers_;
    std::size_t tickets_ = 0;
    bare_hand_off bare_{server_, "/bench/readers-bare-client"};
    progress shown_;
    asio::io_context& context_;
    line_watch watch_{server_, bare_.eyes(), readers_path, [this] { failure_.check(); }};
    std::vector<std::unique_ptr<session>> sessions_;
    std::vector<std::unique_ptr<shared_mutex>> locks_; // the last is the writer's
    std::size_t reading_ = 0;
    std::size_t done_ = 0;
    asio::steady_timer all_read_{context_};
    clock::time_point released_;
    clock::time_point last_came_;
    sample times_;
    row result_;
    std::optional<double> events_;
    asio::steady_timer over_{context_, asio::steady_timer::time_point::max()};
    first_failure failure_{[this] { over_.cancel(); }};
};

} // namespace

rows measure_readers(const target& server, std::size_t readers, std::size_t sessions) {
    asio::io_context context(1);
    readers_run run(context, server, readers, sessions);
    run_to_end(context, run.run());
    return run.result();
}

} // namespace turnstile::bench
