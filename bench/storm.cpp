// SPDX-License-Identifier: BSL-1.0
// Half of a line gives up at once.
#include "bare_api.hpp"
#include "bare_client.hpp"
#include "bare_transaction.hpp"
#include "line_watch.hpp"
#include "progress.hpp"
#include "quantile.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* storm_path = "/bench/storm";
constexpr const char* bare_storm = "/bench/storm-bare-client";
constexpr std::size_t storms = 5;

double processor_us() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto us = [](const timeval& each) {
        return static_cast<double>(each.tv_sec) * 1e6 + static_cast<double>(each.tv_usec);
    };
    return us(used.ru_utime) + us(used.ru_stime);
}

/// Of all waiters that gave up in a round.
struct storm_cost {
    double per_s = 0;
    double processor_us = 0; // of each
    double requests = 0;     // likewise
    double events = 0;
};

class storm_run {
public:
    storm_run(asio::io_context& context, const target& server, std::size_t waiters,
              std::size_t sessions)
        : context_(context),
          server_(server),
          eyes_(server.first()),
          watch_(server, eyes_, storm_path, [this] { check(); }),
          leaving_(waiters / 2),
          signals_(waiters) {
        for (std::size_t i = 0; i < sessions; ++i) {
            sessions_.push_back(std::make_unique<session>(context, server.options(i)));
            locks_.push_back(std::make_unique<mutex>(*sessions_.back(), storm_path));
        }
        eyes_.make_directory(bare_storm);
    }

    asio::awaitable<void> run() {
        for (const auto& each : sessions_)
            co_await each->connect();
        for (std::size_t i = 0; i < storms; ++i) {
            costs_.push_back(co_await round());
            bare_rates_.push_back(delete_as_many());
            shown_.at(i, storms);
        }
        for (const auto& each : sessions_)
            co_await each->close();
    }

    rows result() const {
        row ours{.scenario = "storm", .strategy = "turnstile", .lock = "mutex"};
        ours.waiters = signals_.size();
        ours.sessions = sessions_.size();
        auto bare = ours;
        bare.strategy = plain_api.strategy;
        ours.set_times(times_);
        std::vector<double> rates, ratios, processor, requests, events;
        for (std::size_t i = 0; i < storms; ++i) {
            rates.push_back(costs_[i].per_s);
            ratios.push_back(costs_[i].per_s / bare_rates_[i]);
            processor.push_back(costs_[i].processor_us);
            requests.push_back(costs_[i].requests);
            events.push_back(costs_[i].events);
        }
        ours.per_s = median(rates);
        ours.ratio_to_bare_client = median(ratios);
        ours.processor_us = median(processor);
        if (server_.has_counters()) {
            ours.requests_per_cancel = median(requests);
            ours.watch_events_per_cancel = median(events);
        }
        ours.blocks["per_s"] = rates;
        ours.blocks["ratio_to_bare_client"] = ratios;
        ours.blocks["processor_us"] = processor;
        bare.count = leaving_ * storms;
        bare.per_s = median(bare_rates_);
        bare.blocks["per_s"] = bare_rates_;
        return {ours, bare};
    }

private:
    asio::awaitable<storm_cost> round() {
        auto first = co_await locks_.back()->acquire();
        given_up_ = served_ = 0;
        for (std::size_t i = 0; i < signals_.size(); ++i) {
            locks_[i % locks_.size()]->acquire(asio::bind_cancellation_slot(
                signals_[i].slot(),
                [this](error_code error, held_lock held) { on_done(error, std::move(held)); }));
            if (i % 1000 == 999) // lets the sessions send
                co_await asio::post(context_, asio::deferred);
        }
        co_await watch_.complete(signals_.size() + 1, shown_);
        co_await watch_.settled();
        std::vector<std::size_t> order(signals_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::shuffle(order.begin(), order.end(), dice_);

        const auto packets = server_.has_counters() ? packets_now() : 0;
        const auto events = watch_.events();
        const auto processor = processor_us();
        start_ = clock::now();
        for (std::size_t i = 0; i < leaving_; ++i)
            signals_[order[i]].emit(asio::cancellation_type::terminal);
        // One request looks, each time that all that has arrived was worked on.
        std::size_t looks = 0;
        for (std::size_t standing = signals_.size(); standing > signals_.size() - leaving_ + 1;) {
            co_await asio::post(context_, asio::deferred);
            check();
            if (given_up_ < leaving_)
                continue;
            standing = eyes_.children(storm_path);
            ++looks;
        }
        storm_cost cost;
        const auto all = static_cast<double>(leaving_);
        cost.per_s = all / std::chrono::duration<double>(clock::now() - start_).count();
        cost.processor_us = (processor_us() - processor) / all;
        co_await watch_.settled(); // whoever stood behind them has looked whom to watch
        if (server_.has_counters()) {
            cost.requests = (packets_now() - packets - static_cast<double>(looks)) / all;
            if (const auto now = watch_.events(); now && events)
                cost.events = (*now - *events) / all;
        }
        co_await first.release();
        auto last = co_await locks_.back()->acquire(); // behind all who stayed
        co_await last.release();
        check();
        if (served_ != signals_.size() - leaving_)
            throw std::runtime_error("storm: " + std::to_string(served_) + " were served of " +
                                     std::to_string(signals_.size() - leaving_) + " who stayed");
        co_return cost;
    }

    double packets_now() const { return server_.counters().at("zk_packets_received"); }

    void on_done(error_code error, held_lock held) {
        if (!error) {
            ++served_;
            held.release([this](error_code failed) { note(failed); });
        } else if (error == asio::error::operation_aborted) {
            times_.add(clock::now() - start_);
            ++given_up_;
        } else {
            note(error);
        }
    }
    void note(error_code error) {
        if (error && !failed_)
            failed_ = error;
    }

    /// The bare client deletes as many nodes, with all requests in one flight. How many a second.
    double delete_as_many() {
        std::deque<bare_transaction> creates(leaving_);
        std::vector<bare_transaction*> all;
        for (auto& each : creates) {
            each.create(std::string(bare_storm) + "/turn-1-lock-");
            all.push_back(&each);
        }
        const auto nothing_more = [](bare_transaction&) { return nullptr; };
        eyes_.keep_under_way(all, nothing_more);
        std::deque<bare_transaction> deletions;
        all.clear();
        for (const auto& each : creates) {
            auto& next = deletions.emplace_back();
            next.remove(each.created().front());
            all.push_back(&next);
        }
        const auto start = clock::now();
        eyes_.keep_under_way(all, nothing_more);
        return static_cast<double>(leaving_) /
               std::chrono::duration<double>(clock::now() - start).count();
    }

    void check() const {
        if (failed_)
            throw boost::system::system_error(failed_, "storm");
    }

    asio::io_context& context_;
    const target& server_;
    bare_client eyes_;
    progress shown_{"storm"};
    line_watch watch_;
    const std::size_t leaving_;
    std::deque<asio::cancellation_signal> signals_;
    std::vector<std::unique_ptr<session>> sessions_;
    std::vector<std::unique_ptr<mutex>> locks_;
    std::mt19937_64 dice_{1}; // the same half in each run
    clock::time_point start_;
    sample times_;
    std::size_t given_up_ = 0;
    std::size_t served_ = 0;
    std::vector<storm_cost> costs_;
    std::vector<double> bare_rates_;
    error_code failed_;
};

} // namespace

rows measure_storm(const target& server, std::size_t waiters, std::size_t sessions) {
    asio::io_context context(1);
    storm_run run(context, server, waiters, sessions);
    run_to_end(context, run.run());
    return run.result();
}

} // namespace turnstile::bench
