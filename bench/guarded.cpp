// SPDX-License-Identifier: BSL-1.0
// A write that only the holder of a lock can make.
#include "bare_api.hpp"
#include "bare_client.hpp"
#include "bare_rows.hpp"
#include "bare_transaction.hpp"
#include "progress.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* guarded_path = "/bench/guarded";
constexpr const char* guarded_node = "/bench/guarded.data";
const std::string guarded_data(100, 'x');

/// The same of the bare client: a check of its own node, and the write.
class bare_write {
public:
    bare_write(const target& server, const bare_api& through) : client_(server.first(), through) {
        client_.make_directory("/bench/guarded-bare-client");
        what_.check(client_.create("/bench/guarded-bare-client/turn-1f-lock-"));
        what_.set(guarded_node, guarded_data);
    }
    void run_once() { client_.commit(what_); }

private:
    bare_client client_;
    bare_transaction what_;
};

asio::awaitable<void> measure(asio::io_context& context, const target& server,
                              std::size_t iterations, rows& result) {
    progress shown("guarded");
    session owner(context, server.options(0));
    mutex lock(owner, guarded_path);
    auto held = co_await lock.acquire();
    const auto [failed, made] = co_await held.write_guarded(
        node_writes().create(guarded_node, guarded_data), asio::as_tuple(asio::use_awaitable));
    const bool is_there = !made.empty() && made.front().failed.value() == -110; // of another run
    if (failed && !is_there)
        throw boost::system::system_error(failed, "guarded");
    const auto what = node_writes().set(guarded_node, guarded_data);
    bare_write plain(server, plain_api);
    bare_write redirected(server, redirected_api);
    const auto timed = [](sample& times, auto& bare) {
        const auto start = clock::now();
        bare.run_once();
        times.add(clock::now() - start);
    };
    sample times, bare_times, redirected_times, left_out;
    for (std::size_t i = 0; i < 200 + iterations; ++i) {
        const bool warm = i >= 200;
        const auto start = clock::now();
        co_await held.write_guarded(what);
        (warm ? times : left_out).add(clock::now() - start);
        timed(warm ? bare_times : left_out, plain);
        timed(warm ? redirected_times : left_out, redirected);
        shown.at(i, 200 + iterations);
    }
    row ours{.scenario = "guarded", .strategy = {}, .sessions = 1};
    if (server.has_counters()) { // apart, since the bare client's requests would count too
        constexpr std::size_t rounds = 500;
        // The word that reads the counters is a packet itself.
        double packets = -server.counters().at("zk_packets_received") - 1;
        for (std::size_t i = 0; i < rounds; ++i)
            co_await held.write_guarded(what);
        packets += server.counters().at("zk_packets_received");
        ours.requests_per_write = packets / rounds;
    }
    co_await held.write_guarded(node_writes().remove(guarded_node));
    co_await held.release();
    co_await owner.close();
    result = beside_bare_client(ours, {}, times, bare_times, redirected_times);
}

} // namespace

rows measure_guarded(const target& server, std::size_t iterations) {
    asio::io_context context(1);
    rows result;
    run_to_end(context, measure(context, server, iterations, result));
    return result;
}

} // namespace turnstile::bench
