#include "limit_api.hpp"
#include "limit_client.hpp"
#include "line_watch.hpp"
#include "measured_lock.hpp"
#include "progress.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* lock_path = "/bench/wakeup";
constexpr const char* aside_path = "/bench/wakeup-aside-"; // for each session a lock of its own
constexpr const char* limit_directory = "/bench/wakeup-limit";
constexpr std::size_t most_limit_samples = 1000;
constexpr std::size_t fewest_samples = 1000; // a short line is drained several times

/// One run: everybody lines up behind a first holder, then the line is drained.
template <class Lock>
class wakeup_run {
public:
    wakeup_run(asio::io_context& context, const target& server, std::size_t waiters,
               std::size_t sessions)
        : context_(context),
          server_(server),
          waiters_(waiters),
          one_(server.first()),
          other_(server.first()),
          redirected_one_(server.first(), redirected_api),
          redirected_other_(server.first(), redirected_api),
          shown_("wakeup " + std::to_string(waiters)) {
        one_.make_directory(limit_directory);
        session_options options; // apart: gcc 12 cannot take it within a template
        options.servers = server.servers();
        for (std::size_t i = 0; i < sessions; ++i) {
            sessions_.push_back(std::make_unique<session>(context_, options));
            locks_.push_back(std::make_unique<Lock>(*sessions_.back(), lock_path));
            asides_.push_back(
                std::make_unique<Lock>(*sessions_.back(), aside_path + std::to_string(i)));
        }
        // In a long line the limit is sampled every nth time. Between neighbours of one session a
        // hand-off is so short that a sample before it would be most of what is seen of it.
        every_ = std::max<std::size_t>(sessions == 1 ? 10 : 1, waiters / most_limit_samples);
    }

    asio::awaitable<void> run() {
        for (const auto& each : sessions_)
            co_await each->connect();
        // A session that is new on a path asks for its incarnation first: once for all rounds, or
        // its creates would come in a bunch of their own.
        co_await use_each(locks_);
        const auto rounds = std::max<std::size_t>(1, fewest_samples / waiters_);
        for (std::size_t i = 0; i < rounds; ++i) {
            co_await line_up_and_drain();
            shown_.at(i, rounds);
        }
        result_.line_up_s = result_.line_up_s.value_or(0) / static_cast<double>(rounds);
        result_.drain_s = result_.drain_s.value_or(0) / static_cast<double>(rounds);
        if (events_)
            result_.watch_events_per_release =
                *events_ / static_cast<double>(rounds * (waiters_ + 1));
        result_.threads = threads_of_this_process();
        for (const auto& each : sessions_)
            co_await each->close();
    }

    rows result() const {
        auto ours = result_;
        ours.scenario = "wakeup";
        ours.strategy = "turnstile";
        ours.waiters = waiters_;
        ours.sessions = sessions_.size();
        ours.set_times(times_);
        ours.set_ratio(times_, limit_);
        row bare{.scenario = "wakeup",
                 .strategy = plain_api.strategy,
                 .waiters = waiters_,
                 .sessions = sessions_.size()};
        auto redirected = bare;
        redirected.strategy = redirected_api.strategy;
        bare.set_times(limit_);
        redirected.set_times(redirected_limit_);
        redirected.set_ratio(redirected_limit_, limit_);
        rows all{ours, bare, redirected};
        for (auto& each : all)
            each.lock = name_of_lock<Lock>();
        return all;
    }

private:
    asio::awaitable<void> line_up_and_drain() {
        auto first = co_await locks_.back()->acquire();
        served_ = answered_ = 0;
        spent_on_limit_ = {};
        const auto limits_before = limit_.count() + redirected_limit_.count();
        co_await line_up();
        const auto events_before = watch_.events();
        // Every connection went cold while nothing was under way and while the server counted. The
        // bare client's two are in use from sample to sample, each of ours once in a short line.
        co_await use_each(asides_);
        limit_client::hand_off(one_, other_, limit_directory);
        limit_client::hand_off(redirected_one_, redirected_other_, limit_directory);
        const auto start = clock::now();
        release(std::move(first));
        co_await drained();
        const auto drain = clock::now() - start - spent_on_limit_;
        result_.drain_s =
            result_.drain_s.value_or(0) + std::chrono::duration<double>(drain).count();
        // Without those of the bare clients, one for each sample and one of each before them.
        const auto limits = limit_.count() + redirected_limit_.count() - limits_before;
        if (const auto all = watch_.events(); all && events_before)
            events_ = events_.value_or(0) + *all - *events_before - static_cast<double>(limits + 2);
    }

    static asio::awaitable<void> use_each(const std::vector<std::unique_ptr<Lock>>& locks) {
        for (const auto& each : locks) {
            auto held = co_await each->acquire();
            co_await held.release();
        }
    }

    asio::awaitable<void> wait_in_line(std::size_t in_session) {
        auto lock = co_await locks_[in_session]->acquire();
        const auto resumed = clock::now();
        times_.add(resumed - released_);
        ++served_;
        if (waiters_ >= fewest_samples)
            shown_.at(served_, waiters_);
        // Counted over all rounds: a line may be shorter than that.
        if (++handed_on_ % every_ == 0) {
            sample_limit();
            // The sample held up this thread while the answer to the last release came: reading it
            // is no part of the next hand-off.
            while (answered_ < served_)
                co_await asio::post(context_, asio::deferred);
        }
        release(std::move(lock));
    }

    void release(held_lock lock) {
        released_ = clock::now();
        lock.release([this](error_code error) {
            ++answered_;
            if (error)
                failed_ = error;
        });
    }

    // The two take turns: both at once would let the line rest twice as long between hand-offs.
    void sample_limit() {
        const auto start = clock::now();
        if (limit_.count() <= redirected_limit_.count())
            limit_.add(limit_client::hand_off(one_, other_, limit_directory));
        else
            redirected_limit_.add(
                limit_client::hand_off(redirected_one_, redirected_other_, limit_directory));
        spent_on_limit_ += clock::now() - start;
    }

    asio::awaitable<void> line_up() {
        const auto start = clock::now();
        for (std::size_t i = 0; i < waiters_; ++i) {
            asio::co_spawn(context_, wait_in_line(i % sessions_.size()),
                           [this](const std::exception_ptr& e) {
                               if (e && !error_)
                                   error_ = e;
                           });
            // The server takes what several connections send in any order, so each one's ticket
            // has to stand before the next one asks.
            if (sessions_.size() > 1)
                co_await watch_.joined(i + 2);
            if (i % 1000 == 0)
                breathe();
        }
        co_await watch_.complete(waiters_ + 1, shown_); // with the first holder's
        result_.line_up_s = result_.line_up_s.value_or(0) +
                            std::chrono::duration<double>(clock::now() - start).count();
        breathe();
        co_await watch_.settled();
    }

    asio::awaitable<void> drained() {
        asio::steady_timer pause(context_);
        while (answered_ < waiters_ + 1) {
            pause.expires_after(std::chrono::milliseconds{5});
            co_await pause.async_wait(asio::deferred);
            check();
            breathe();
        }
        check();
    }

    void breathe() {
        for (auto* const each : {&one_, &other_, &redirected_one_, &redirected_other_})
            each->breathe();
    }

    void check() const {
        if (error_)
            std::rethrow_exception(error_);
        if (failed_)
            throw boost::system::system_error(failed_, "release");
    }

    asio::io_context& context_;
    const target& server_;
    const std::size_t waiters_;
    limit_client one_;
    limit_client other_;
    limit_client redirected_one_;
    limit_client redirected_other_;
    progress shown_;
    line_watch watch_{server_, one_, lock_path, [this] { check(); }};
    std::vector<std::unique_ptr<session>> sessions_;
    std::vector<std::unique_ptr<Lock>> locks_;
    std::vector<std::unique_ptr<Lock>> asides_;
    std::size_t every_ = 1;
    std::size_t served_ = 0;
    std::size_t handed_on_ = 0;
    std::size_t answered_ = 0;
    clock::time_point released_;
    clock::duration spent_on_limit_{};
    sample times_;
    sample limit_;
    sample redirected_limit_;
    row result_;
    std::optional<double> events_;
    error_code failed_;
    std::exception_ptr error_;
};

template <class Lock>
rows run_wakeup(const target& server, std::size_t waiters, std::size_t sessions) {
    asio::io_context context(1);
    wakeup_run<Lock> run(context, server, waiters, sessions);
    asio::co_spawn(context, run.run(), [](const std::exception_ptr& e) {
        if (e)
            std::rethrow_exception(e);
    });
    context.run();
    return run.result();
}

} // namespace

int threads_of_this_process() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("Threads:"))
            return std::stoi(line.substr(8));
    return 0;
}

rows measure_wakeup(const target& server, const std::string& lock, std::size_t waiters,
                    std::size_t sessions) {
    if (lock == name_of_lock<readers_lock>())
        return measure_readers(server, waiters, sessions);
    if (lock == name_of_lock<shared_mutex>())
        return run_wakeup<shared_mutex>(server, waiters, sessions);
    return run_wakeup<mutex>(server, waiters, sessions);
}

} // namespace turnstile::bench
