// SPDX-License-Identifier: BSL-1.0
// What locks cost the server while nothing happens.
#include "bare_client.hpp"
#include "progress.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

/// What the server received, and how long it computed.
struct server_load {
    double packets = 0;
    double processor_s = 0;
    clock::time_point at = clock::now();

    explicit server_load(const target& server)
        : packets(server.counters().at("zk_packets_received")),
          processor_s(server.processor_seconds().value_or(0)) {}
};

class idle_run {
public:
    idle_run(asio::io_context& context, const target& server, std::size_t holders)
        : context_(context), server_(server) {
        for (std::size_t i = 0; i < holders; ++i) {
            sessions_.push_back(std::make_unique<session>(context, server.options(i)));
            locks_.push_back(
                std::make_unique<mutex>(*sessions_.back(), "/bench/idle-" + std::to_string(i)));
        }
    }

    asio::awaitable<void> run(std::chrono::seconds rest) {
        std::vector<held_lock> held;
        for (std::size_t i = 0; i < locks_.size(); ++i) {
            co_await sessions_[i]->connect();
            held.push_back(co_await locks_[i]->acquire());
        }
        asio::steady_timer pause(context_);
        const auto steps = static_cast<std::size_t>(rest.count());
        const server_load before(server_);
        for (std::size_t i = 0; i < steps; ++i) {
            pause.expires_after(std::chrono::seconds{1});
            co_await pause.async_wait(asio::deferred);
            shown_.at(i, steps);
        }
        const server_load after(server_);
        const auto seconds = std::chrono::duration<double>(after.at - before.at).count();
        const auto holders = static_cast<double>(locks_.size());
        // The word that reads the counters is a packet itself.
        requests_per_s_ = (after.packets - before.packets - 1) / seconds / holders;
        if (server_.processor_seconds())
            processor_us_ = (after.processor_s - before.processor_s) / seconds / holders * 1e6;
        for (auto& each : held)
            co_await each.release();
        for (const auto& each : sessions_)
            co_await each->close();
    }

    row result() const {
        row ours{.scenario = "idle", .strategy = "turnstile", .lock = "mutex"};
        ours.sessions = sessions_.size();
        ours.count = locks_.size();
        ours.requests_per_holder_and_s = requests_per_s_;
        ours.server_us_per_holder_and_s = processor_us_;
        return ours;
    }

private:
    asio::io_context& context_;
    const target& server_;
    progress shown_{"idle"};
    std::vector<std::unique_ptr<session>> sessions_;
    std::vector<std::unique_ptr<mutex>> locks_;
    double requests_per_s_ = 0;
    std::optional<double> processor_us_;
};

} // namespace

rows measure_idle(const target& server, std::size_t holders, std::chrono::seconds rest) {
    if (!server.has_counters())
        throw std::runtime_error("idle needs the server's counters: " + server.no_counters());
    asio::io_context context(1);
    idle_run run(context, server, holders);
    run_to_end(context, run.run(rest));
    return {run.result()};
}

} // namespace turnstile::bench
