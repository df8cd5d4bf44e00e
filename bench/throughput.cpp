// SPDX-License-Identifier: BSL-1.0
#include "bare_api.hpp"
#include "bare_throughput.hpp"
#include "progress.hpp"
#include "quantile.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr std::size_t count_of_blocks = 21; // measured alternately; the first is left out

/// Many locks of one session, so many of which are taken and released at once.
class many_locks {
public:
    many_locks(const target& server, std::size_t locks, std::size_t inflight)
        : session_(context_, server.options()), inflight_(inflight) {
        for (std::size_t i = 0; i < locks; ++i)
            locks_.push_back(
                std::make_unique<mutex>(session_, "/bench/throughput-" + std::to_string(i)));
        run([](many_locks& self) -> asio::awaitable<void> { co_await self.session_.connect(); });
        // The first acquire of a path also makes and reads it.
        take_and_release(locks);
    }
    ~many_locks() {
        run([](many_locks& self) -> asio::awaitable<void> { co_await self.session_.close(); });
    }
    many_locks(const many_locks&) = delete;
    many_locks& operator=(const many_locks&) = delete;

    /// How many pairs a second.
    double take_and_release(std::size_t pairs) {
        left_ = pairs;
        const auto start = clock::now();
        for (std::size_t i = 0; i < inflight_; ++i)
            asio::co_spawn(context_, go_round(i), rethrow);
        work();
        return static_cast<double>(pairs) /
               std::chrono::duration<double>(clock::now() - start).count();
    }

private:
    static void rethrow(const std::exception_ptr& e) {
        if (e)
            std::rethrow_exception(e);
    }

    // Its own share of the locks, so that nobody waits in line.
    asio::awaitable<void> go_round(std::size_t first) {
        for (std::size_t i = first; left_ > 0;
             i = i + inflight_ < locks_.size() ? i + inflight_ : first) {
            --left_;
            auto held = co_await locks_[i]->acquire();
            co_await held.release();
        }
        finish();
    }

    template <class Function>
    void run(Function function) {
        asio::co_spawn(context_, function(*this), [this](const std::exception_ptr& e) {
            context_.stop();
            rethrow(e);
        });
        context_.restart();
        context_.run();
    }

    // A session keeps the context busy as long as it lives.
    void work() {
        done_ = 0;
        context_.restart();
        context_.run();
    }
    void finish() {
        if (++done_ == inflight_)
            context_.stop();
    }

    asio::io_context context_{1};
    session session_;
    const std::size_t inflight_;
    std::vector<std::unique_ptr<mutex>> locks_;
    std::size_t left_ = 0;
    std::size_t done_ = 0;
};

row row_of(const char* strategy, std::size_t pairs, const std::vector<double>& rates) {
    row result{.scenario = "throughput", .strategy = strategy, .lock = "mutex", .sessions = 1};
    result.count = pairs * rates.size();
    result.per_s = median(rates);
    result.blocks["per_s"] = rates;
    return result;
}

void set_ratio(row& of, const std::vector<double>& bare) {
    auto& ratios = of.blocks["ratio_to_bare_client"];
    for (std::size_t i = 0; i < bare.size(); ++i)
        ratios.push_back(of.blocks.at("per_s")[i] / bare[i]);
    of.ratio_to_bare_client = median(ratios);
}

} // namespace

rows measure_throughput(const target& server, std::size_t locks, std::size_t inflight,
                        std::size_t pairs) {
    progress shown("throughput");
    many_locks ours(server, locks, inflight);
    bare_throughput plain(server, plain_api, locks, inflight);
    bare_throughput redirected(server, redirected_api, locks, inflight);
    const auto in_block = std::max(inflight, pairs / (count_of_blocks - 1));
    std::vector<double> ours_s;
    std::vector<double> plain_s;
    std::vector<double> redirected_s;
    for (std::size_t i = 0; i < count_of_blocks; ++i) {
        const auto one = ours.take_and_release(in_block);
        const auto two = plain.create_and_delete(in_block);
        const auto three = redirected.create_and_delete(in_block);
        shown.at(i, count_of_blocks);
        if (i == 0)
            continue;
        ours_s.push_back(one);
        plain_s.push_back(two);
        redirected_s.push_back(three);
    }
    rows result{row_of("turnstile", in_block, ours_s),
                row_of(plain_api.strategy, in_block, plain_s),
                row_of(redirected_api.strategy, in_block, redirected_s)};
    for (auto& each : result) {
        each.locks = locks;
        each.inflight = inflight;
    }
    set_ratio(result[0], plain_s);
    set_ratio(result[2], plain_s);
    return result;
}

} // namespace turnstile::bench
