// SPDX-License-Identifier: BSL-1.0
// Many observers of one election.
#include "first_failure.hpp"
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
#include <boost/asio/use_awaitable.hpp>

#include <deque>
#include <string>
#include <utility>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* observed_path = "/bench/observe";

/// What the server received, and which watch events it sent.
struct traffic {
    double requests = 0;
    double events = 0;

    explicit traffic(const target& server) {
        if (!server.has_counters())
            return;
        const auto now = server.counters();
        requests = now.at("zk_packets_received");
        for (const auto* name :
             {"zk_sum_node_changed_watch_count", "zk_sum_node_deleted_watch_count",
              "zk_sum_node_created_watch_count", "zk_sum_node_children_watch_count"})
            if (const auto found = now.find(name); found != now.end())
                events += found->second;
    }
};

class observe_run {
public:
    observe_run(asio::io_context& context, const target& server, std::size_t observers,
                std::size_t sessions)
        : context_(context), server_(server), count_(observers), wake_(context) {
        for (std::size_t i = 0; i < sessions; ++i)
            sessions_.emplace_back(context, server.options(i));
        for (std::size_t i = 0; i < observers; ++i)
            observers_.emplace_back(sessions_[i % sessions], observed_path);
        for (std::size_t i = 0; i < 2; ++i)
            sessions_.emplace_back(context, server.options(i)); // of the candidates
        for (std::size_t i = 0; i < 2; ++i)
            candidates_.emplace_back(sessions_[sessions + i], observed_path);
    }

    asio::awaitable<void> run(std::size_t rounds) {
        auto leading = co_await candidates_[0].campaign("first");
        co_await leading.proclaim("made"); // the first one makes the node
        awaited_ = "made";
        for (auto& each : observers_)
            asio::co_spawn(context_, observe(each), failure_.handler());
        co_await all_told();
        for (std::size_t i = 0; i < rounds; ++i) {
            auto& next = candidates_[(i + 1) % 2];
            co_await round("proclaimed " + std::to_string(i), proclaims_,
                           [&]() -> asio::awaitable<void> { co_await leading.proclaim(awaited_); });
            const auto value = "leader " + std::to_string(i);
            held_lock taken;
            bool granted = false;
            asio::co_spawn(context_, stand(next, value, taken, granted), failure_.handler());
            co_await pause(std::chrono::milliseconds(20)); // it stands in line
            co_await round(value, changes_, [&]() -> asio::awaitable<void> {
                co_await leading.release();
                while (!granted)
                    co_await pause(std::chrono::milliseconds(1));
            });
            leading = std::move(taken);
            shown_.at(i, rounds);
        }
        over_ = true;
        observers_.clear();
        co_await leading.release();
        for (auto& each : sessions_)
            co_await each.close();
        failure_.check();
    }

    rows result() const {
        return {row_of("observe", changes_), row_of("observe-proclaim", proclaims_)};
    }

private:
    /// What so many changes cost.
    struct figures {
        sample times{};
        std::size_t told = 0;
        double requests = 0;
        double events = 0;
    };

    row row_of(const char* scenario, const figures& its) const {
        row result{.scenario = scenario, .strategy = "turnstile", .lock = "election"};
        const auto observers = static_cast<double>(count_);
        const auto changes = static_cast<double>(its.times.count());
        result.waiters = count_;
        result.sessions = sessions_.size() - 2;
        result.set_times(its.times);
        result.news_per_observer = static_cast<double>(its.told) / changes / observers;
        if (server_.has_counters()) {
            result.requests_per_observer = its.requests / changes / observers;
            result.watch_events_per_session =
                its.events / changes / static_cast<double>(*result.sessions);
        }
        return result;
    }

    /// From the change to the last observer that is told.
    template <class Change>
    asio::awaitable<void> round(const std::string& value, figures& its, Change change) {
        const traffic before(server_);
        awaited_ = value;
        told_ = news_ = 0;
        const auto start = clock::now();
        co_await change();
        co_await all_told();
        its.times.add(last_told_ - start);
        co_await pause(std::chrono::milliseconds(50)); // what follows is a part of it
        its.told += news_;
        const traffic after(server_);
        its.requests += after.requests - before.requests - 1; // the word that reads them
        its.events += after.events - before.events;
    }

    asio::awaitable<void> observe(election& which) {
        leader_info known;
        while (!over_) {
            const auto [failed, now] =
                co_await which.observe(known, asio::as_tuple(asio::use_awaitable));
            if (over_)
                co_return;
            if (failed)
                throw boost::system::system_error(failed, "observe");
            known = now;
            ++news_;
            if (known.value == awaited_ && ++told_ == count_) {
                last_told_ = clock::now();
                wake_.cancel();
            }
        }
    }
    asio::awaitable<void> stand(election& which, std::string value, held_lock& taken,
                                bool& granted) {
        taken = co_await which.campaign(std::move(value));
        granted = true;
    }
    asio::awaitable<void> all_told() {
        while (told_ < count_) {
            failure_.check();
            wake_.expires_after(std::chrono::seconds(1));
            co_await wake_.async_wait(asio::as_tuple(asio::use_awaitable));
        }
    }
    asio::awaitable<void> pause(std::chrono::milliseconds span) {
        asio::steady_timer timer(context_, span);
        co_await timer.async_wait(asio::deferred);
    }

    asio::io_context& context_;
    const target& server_;
    const std::size_t count_;
    std::deque<session> sessions_;
    std::deque<election> observers_;
    std::deque<election> candidates_;
    asio::steady_timer wake_;
    first_failure failure_{[this] { wake_.cancel(); }};
    progress shown_{"observe"};
    std::string awaited_;
    std::size_t told_ = 0;
    std::size_t news_ = 0;
    clock::time_point last_told_;
    bool over_ = false;
    figures changes_;
    figures proclaims_;
};

} // namespace

rows measure_observe(const target& server, std::size_t observers, std::size_t sessions,
                     std::size_t rounds) {
    asio::io_context context(1);
    observe_run run(context, server, observers, sessions);
    run_to_end(context, run.run(rounds));
    return run.result();
}

} // namespace turnstile::bench
