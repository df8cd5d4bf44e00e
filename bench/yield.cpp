// SPDX-License-Identifier: BSL-1.0
// The holder of a lock is asked to let go.
#include "bare_api.hpp"
#include "bare_client.hpp"
#include "bare_rows.hpp"
#include "progress.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"
#include "socket_bytes.hpp"

#include <turnstile.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* yield_path = "/bench/yield";
constexpr const char* bare_yield_path = "/bench/yield-bare-client";

class yield_run {
public:
    yield_run(asio::io_context& context, const target& server)
        : context_(context),
          server_(server),
          before_(socket_bytes::connections()),
          owner_(context, server.options(0)),
          asking_(context, server.options(1)),
          lock_(owner_, yield_path),
          asked_(asking_, yield_path) {}

    asio::awaitable<void> run(std::size_t iterations) {
        co_await owner_.connect();
        sockets_.take_all_but(before_);
        {
            auto first = co_await lock_.acquire(); // makes the path
            co_await first.release();
        }
        all_.push_back(co_await pairs("yield-unused", false));
        all_.push_back(co_await pairs("yield-awaited", true));
        co_await asking_.connect();
        bare_client asker(server_.first());
        bare_client plain(server_.first());
        bare_client redirected(server_.first(), redirected_api);
        plain.make_directory(bare_yield_path);
        for (std::size_t i = 0; i < iterations; ++i) {
            co_await one_by_create(asker);
            bare_times_.add(create_and_look(plain));
            redirected_times_.add(create_and_look(redirected));
            co_await one_by_request();
            shown_.at(i, iterations);
        }
        co_await owner_.close();
        co_await asking_.close();
    }

    rows result() const {
        auto result = beside_bare_client({.scenario = "yield", .strategy = {}, .sessions = 2}, {},
                                         times_, bare_times_, redirected_times_);
        row asked{.scenario = "yield-asked", .strategy = "turnstile", .lock = "mutex"};
        asked.sessions = 2;
        asked.set_times(asked_times_);
        result.push_back(std::move(asked));
        std::copy(all_.begin(), all_.end(), std::back_inserter(result));
        return result;
    }

private:
    /// A holder, which awaits a request, and the server knows it.
    asio::awaitable<held_lock> holding() {
        auto held = co_await lock_.acquire();
        told_.reset();
        held.wait_yield([this](const error_code& failed, const yield_request&) {
            if (!failed)
                told_ = clock::now();
            wake_.cancel();
        });
        co_await owner_.list_children("/bench"); // behind the watch
        co_return held;
    }
    asio::awaitable<void> until_told() {
        while (!told_)
            co_await wake_.async_wait(asio::as_tuple(asio::deferred));
    }

    /// From the create of the request, which another client makes, to the holder's handler.
    asio::awaitable<void> one_by_create(bare_client& asker) {
        auto held = co_await holding();
        const auto ticket = co_await owner_.list_children(yield_path);
        const auto node = std::string(yield_path) + "%yield";
        const auto data = std::string(bare_client::ticket_data) + "ticket=" + ticket.at(0) + ' ' +
                          std::to_string(held.fencing_token().czxid()) + "\nvalue=bench\n";
        const auto start = clock::now();
        asker.make(node, data);
        co_await until_told();
        times_.add(*told_ - start);
        asker.remove(node);
        co_await held.release();
    }
    /// From the call that asks, and finds the holder first, to the holder's handler.
    asio::awaitable<void> one_by_request() {
        auto held = co_await holding();
        const auto start = clock::now();
        bool ended = false;
        asked_.ask_to_yield("bench", [&](const error_code&) {
            ended = true;
            wake_.cancel();
        });
        co_await until_told();
        asked_times_.add(*told_ - start);
        co_await held.release();
        while (!ended) // it takes its node away
            co_await wake_.async_wait(asio::as_tuple(asio::deferred));
    }
    /// Two round trips of the bare client: the create, and a look at what was made.
    static clock::duration create_and_look(bare_client& client) {
        const auto node = std::string(bare_yield_path) + "/request";
        const auto start = clock::now();
        client.make(node, bare_client::ticket_data);
        client.exists(node);
        const auto taken = clock::now() - start;
        client.remove(node);
        return taken;
    }

    /// What an acquire and release cost where nobody asks.
    asio::awaitable<row> pairs(const char* scenario, bool awaited) {
        constexpr std::size_t rounds = 500;
        const auto packets = [this] {
            return server_.has_counters() ? server_.counters().at("zk_packets_received") : 0;
        };
        const auto bytes = sockets_.now();
        auto requests = -packets() - 1; // the word that reads the counters
        sample times;
        for (std::size_t i = 0; i < rounds; ++i) {
            const auto start = clock::now();
            auto held = co_await lock_.acquire();
            if (awaited) {
                held.wait_yield([](const error_code&, const yield_request&) {});
                co_await asio::post(context_, asio::deferred);
            }
            co_await held.release();
            times.add(clock::now() - start);
        }
        requests += packets();
        row result{.scenario = scenario, .strategy = "turnstile", .lock = "mutex"};
        result.sessions = 1;
        result.set_times(times);
        if (server_.has_counters())
            result.requests_per_acquire = requests / rounds;
        if (const auto now = sockets_.now(); now && bytes)
            result.bytes_sent_per_acquire = static_cast<double>((*now - *bytes).sent) / rounds;
        co_return result;
    }

    asio::io_context& context_;
    const target& server_;
    const std::set<int> before_;
    socket_bytes sockets_;
    progress shown_{"yield"};
    session owner_;
    session asking_;
    mutex lock_;
    mutex asked_;
    asio::steady_timer wake_{context_, asio::steady_timer::time_point::max()}; // is cancelled
    std::optional<clock::time_point> told_;
    sample times_, bare_times_, redirected_times_, asked_times_;
    rows all_;
};

} // namespace

rows measure_yield(const target& server, std::size_t iterations) {
    asio::io_context context(1);
    yield_run run(context, server);
    run_to_end(context, run.run(iterations));
    return run.result();
}

} // namespace turnstile::bench
