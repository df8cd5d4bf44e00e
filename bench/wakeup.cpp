// SPDX-License-Identifier: BSL-1.0
#include "bare_hand_off.hpp"
#include "bare_rows.hpp"
#include "first_failure.hpp"
#include "line_watch.hpp"
#include "progress.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"
#include "socket_bytes.hpp"
#include "strategies/herd_pace.hpp"
#include "strategies/strategies.hpp"
#include "waiting_line.hpp"

#include <turnstile.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_limit_samples = 1000;
/// A herd of a thousand would take minutes for its whole line.
constexpr std::chrono::seconds longest_herd_run{40};

/// One run: everybody lines up behind a first holder, then the line is drained.
template <class Lock>
class wakeup_run {
    using held = typename Lock::held_type;

public:
    wakeup_run(asio::io_context& context, const target& server, const lock_choice& choice,
               const line_choice& line)
        : context_(context),
          server_(server),
          choice_(choice),
          waiters_(line.waiters),
          hand_offs_(line.hand_offs),
          rest_(line.rest),
          wait_(line.wait),
          bare_(server, "/bench/wakeup-bare-client", line.sessions),
          shown_("wakeup " + std::to_string(waiters_)),
          line_(context, server, choice, line.sessions) {
        // In a long line the bare client is sampled every nth time. Between neighbours of one
        // session a hand-off is so short that a sample before it would be most of what is seen of
        // it.
        every_ = std::max<std::size_t>(line.sessions == 1 ? 10 : 1, waiters_ / most_limit_samples);
    }

    asio::awaitable<void> run() {
        const auto others = socket_bytes::connections();
        co_await line_.connect();
        bytes_.take_all_but(others);
        // A session that is new on a path asks for its incarnation first: once for all rounds, or
        // its creates would come in a bunch of their own.
        co_await line_.use_locks();
        const auto rounds = std::max<std::size_t>(1, hand_offs_ / waiters_);
        started_ = clock::now();
        std::size_t done = 0;
        while (done < rounds && !time_is_up_) {
            co_await line_up_and_drain();
            shown_.at(done++, rounds);
        }
        result_.line_up_s = result_.line_up_s.value_or(0) / static_cast<double>(done);
        result_.drain_s = result_.drain_s.value_or(0) / static_cast<double>(done);
        if (events_)
            result_.watch_events_per_release = *events_ / static_cast<double>(releases_);
        if (events_ && Lock::to_releaser != Lock::own_event::unknown)
            result_.waiters_woken_per_release =
                (*events_ - own_events_) / static_cast<double>(releases_);
        if (line_up_bytes_ && drain_bytes_) {
            const auto joined = static_cast<double>(done * waiters_);
            const auto handed_on = static_cast<double>(handed_on_);
            result_.bytes_received_per_acquire =
                static_cast<double>(line_up_bytes_->received) / joined +
                static_cast<double>(drain_bytes_->received) / handed_on;
            result_.bytes_sent_per_acquire = static_cast<double>(line_up_bytes_->sent) / joined +
                                             static_cast<double>(drain_bytes_->sent) / handed_on;
        }
        result_.threads = threads_of_this_process();
        co_await line_.close();
        line_.delete_kept_nodes(bare_.eyes());
    }

    rows result() const {
        auto ours = result_;
        ours.scenario = "wakeup";
        ours.waiters = waiters_;
        ours.sessions = line_.size();
        if (is_cold())
            ours.cold = true;
        return beside_bare_client(ours, choice_, times_, bare_.plain(), bare_.redirected());
    }

private:
    asio::awaitable<void> line_up_and_drain() {
        // All but the first go on holding until the line is drained.
        std::vector<held> holders;
        for (std::size_t i = 0; i < Lock::holders(choice_); ++i)
            holders.push_back(co_await line_.locks().back()->acquire());
        served_ = answered_ = 0;
        co_await line_up();
        auto events_before = watch_.events();
        const auto deleted_before = watch_.deleted_events();
        const auto bare_before = bare_.count();
        // Every connection went cold while nothing was under way and while the server counted, and
        // each is used once in a short line, of ours and of the bare client's.
        bare_.line_up(waiters_ / every_ + 1);
        if (!is_cold())
            co_await line_.use_asides();
        if constexpr (Lock::herd) // these asides have watch events, too
            events_before = watch_.events();
        if (!is_cold())
            bare_.warm_up();
        co_await wait();
        const auto bytes_before = bytes_.now();
        const auto spent_before = bare_.spent();
        const auto start = clock::now();
        release(std::move(holders.front()));
        co_await drained();
        const auto drain = clock::now() - start - (bare_.spent() - spent_before);
        result_.drain_s =
            result_.drain_s.value_or(0) + std::chrono::duration<double>(drain).count();
        add(drain_bytes_, bytes_before);
        // Without those of the bare clients, one for each time that they handed a node on.
        const auto bare_events = static_cast<double>(bare_.count() - bare_before);
        if (const auto all = watch_.events(); all && events_before)
            events_ = events_.value_or(0) + *all - *events_before - bare_events;
        if (const auto all = watch_.deleted_events();
            Lock::to_releaser == Lock::own_event::deleted && all && deleted_before)
            own_events_ += *all - *deleted_before;
        for (std::size_t i = 1; i < holders.size(); ++i)
            co_await holders[i].release();
    }

    /// What went over the sessions' connections since then.
    void add(std::optional<socket_bytes::counts>& to,
             const std::optional<socket_bytes::counts>& before) const {
        if (const auto after = bytes_.now(); after && before) {
            to = to.value_or(socket_bytes::counts{});
            *to += *after - *before;
        }
    }

    asio::awaitable<void> wait_in_line(std::size_t in_session) {
        auto lock = co_await line_.locks()[in_session]->acquire();
        const auto resumed = clock::now();
        times_.add(resumed - released_);
        ++served_;
        co_await pace_.settled();
        // Counted over all rounds: a line may be shorter than that.
        if (++handed_on_ % every_ == 0) {
            if (waiters_ >= hand_offs_)
                shown_.at(served_, waiters_);
            co_await rest(); // the bare client rests as long as ours
            bare_.sample_one();
            bare_.breathe();
            // This held up the thread while the answer to the last release came, and those to the
            // sessions' beats: the next hand-off does not begin with them. Two turns of the context
            // read and handle what is there.
            for (int turns = 0; turns < 2 || answered_ < served_; ++turns)
                co_await asio::post(context_, asio::deferred);
        }
        if (Lock::first_looks)
            co_await let_look();
        if (Lock::herd && clock::now() - started_ > longest_herd_run) {
            time_is_up_ = true; // the line goes with its sessions
            over_.cancel();
            co_return;
        }
        co_await rest();
        release(std::move(lock));
    }

    bool is_cold() const { return rest_ > std::chrono::milliseconds{0}; }

    // Meanwhile nothing is under way, here or at the server.
    asio::awaitable<void> rest() {
        if (!is_cold())
            co_return;
        asio::steady_timer pause(context_, rest_);
        co_await pause.async_wait(asio::deferred);
    }

    asio::awaitable<void> wait() {
        asio::steady_timer pause(context_);
        for (const auto end = clock::now() + wait_; clock::now() < end; bare_.breathe()) {
            pause.expires_after(std::chrono::milliseconds{10});
            co_await pause.async_wait(asio::deferred);
        }
    }

    // A lock is held for so long that the next in line has learnt that it is the first, and has
    // looked: two round trips, by which its own request is answered as well.
    asio::awaitable<void> let_look() {
        for (int i = 0; i < 2; ++i) {
            co_await asio::post(context_, asio::deferred); // lets the sessions read, and send
            bare_.eyes().exists("/bench");
            co_await asio::post(context_, asio::deferred);
        }
    }

    void release(held lock) {
        pace_.released();
        ++releases_;
        released_ = clock::now();
        lock.release([this](error_code error) {
            ++answered_;
            if (error)
                failed_ = error;
            if (error || answered_ == waiters_ + 1)
                over_.cancel();
        });
    }

    asio::awaitable<void> line_up() {
        const auto bytes_before = bytes_.now();
        const auto start = clock::now();
        pace_.hold_looks();
        line_.begin();
        std::vector<bool> full(line_.size());
        auto in_line = waiters_;
        for (std::size_t i = 0; i < waiters_; ++i) {
            const auto in_session = i % line_.size();
            asio::co_spawn(context_, wait_in_line(in_session), failure_.handler());
            // The server takes what several connections send in any order, so each one's ticket
            // has to stand before the next one asks.
            if (line_.size() > 1 && !full[in_session])
                full[in_session] = !co_await line_.joins(
                    in_session, Lock::tickets(i + 1 - (waiters_ - in_line)), watch_);
            in_line -= full[in_session] ? 1 : 0;
            bare_.breathe();
        }
        co_await watch_.complete(Lock::tickets(in_line), shown_);
        co_await pace_.let_look(waiters_);
        result_.line_up_s = result_.line_up_s.value_or(0) +
                            std::chrono::duration<double>(clock::now() - start).count();
        bare_.breathe();
        co_await watch_.settled();
        add(line_up_bytes_, bytes_before);
    }

    // Whoever ends it says so: this thread does nothing else meanwhile.
    asio::awaitable<void> drained() {
        for (check(); answered_ < waiters_ + 1 && !time_is_up_; check())
            co_await over_.async_wait(asio::as_tuple(asio::deferred));
    }

    void check() const {
        failure_.check();
        if (failed_)
            throw boost::system::system_error(failed_, "release");
    }

    asio::io_context& context_;
    const target& server_;
    const lock_choice choice_;
    const std::size_t waiters_;
    const std::size_t hand_offs_;
    const std::chrono::milliseconds rest_;
    const std::chrono::seconds wait_;
    bare_hand_off bare_;
    progress shown_;
    waiting_line<Lock> line_;
    line_watch watch_{server_, bare_.eyes(), Lock::line(line_.path()), [this] { check(); }};
    herd_pace<Lock> pace_{line_.sessions(), line_.locks(), [this] { check(); }};
    socket_bytes bytes_;
    clock::time_point started_;
    bool time_is_up_ = false;
    std::size_t every_ = 1;
    std::size_t served_ = 0;
    std::size_t handed_on_ = 0;
    std::size_t answered_ = 0;
    std::size_t releases_ = 0; // of all rounds
    clock::time_point released_;
    sample times_;
    row result_;
    std::optional<double> events_;
    double own_events_ = 0; // of them, to releasers
    std::optional<socket_bytes::counts> line_up_bytes_;
    std::optional<socket_bytes::counts> drain_bytes_;
    error_code failed_;
    asio::steady_timer over_{context_, asio::steady_timer::time_point::max()};
    first_failure failure_{[this] { over_.cancel(); }};
};

template <class Lock>
rows run_wakeup(const target& server, const lock_choice& lock, const line_choice& line) {
    asio::io_context context(1);
    wakeup_run<Lock> run(context, server, lock, line);
    run_to_end(context, run.run());
    return run.result();
}

} // namespace

int threads_of(const std::string& process) {
    std::ifstream status("/proc/" + process + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("Threads:"))
            return std::stoi(line.substr(8));
    return 0;
}

std::string why_not_measured(const lock_choice& lock, std::size_t waiters) {
    std::string why;
    with_lock(lock, [&]<class Lock>() {
        if (Lock::herd && waiters > largest_herd)
            why = lock.strategy + " is measured with at most " + std::to_string(largest_herd) +
                  " waiters: each release wakes all of them, and each then asks the server again. "
                  "With 1000 waiters that moves up to 20 megabytes for each hand-off, and with "
                  "10000 it would be a hundred times as much";
        return rows{};
    });
    return why;
}

rows measure_wakeup(const target& server, const lock_choice& lock, const line_choice& line) {
    return with_lock(lock, [&]<class Lock>() {
        if constexpr (std::is_same_v<Lock, readers_lock>)
            return measure_readers(server, line.waiters, line.sessions);
        else
            return run_wakeup<Lock>(server, lock, line);
    });
}

} // namespace turnstile::bench
