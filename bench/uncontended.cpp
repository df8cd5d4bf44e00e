#include "limit_api.hpp"
#include "limit_client.hpp"
#include "measured_lock.hpp"
#include "progress.hpp"
#include "scenarios.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <string>
#include <type_traits>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* lock_path = "/bench/uncontended";
constexpr const char* limit_directory = "/bench/uncontended-limit";

template <class Lock>
asio::awaitable<void> measure_pairs(const target& server, std::size_t iterations, rows& result) {
    progress shown("uncontended");
    // Apart from the options: gcc 12 relocates temporaries of a co_await's expression bitwise.
    const auto executor = co_await asio::this_coro::executor;
    session ours(executor, {.servers = server.servers()});
    Lock lock(ours, lock_path);
    co_await ours.connect();
    limit_client bare(server.first());
    limit_client redirected(server.first(), redirected_api);
    bare.make_directory(limit_directory);
    const auto create_and_delete = [](limit_client& through) {
        const auto ticket = through.create(std::string(limit_directory) + "/turn-1-lock-");
        if (std::is_same_v<Lock, readers_lock>) // whose release is a plain delete
            through.remove(ticket);
        else
            through.set_and_delete(ticket);
    };

    // The first acquire of a path also makes and reads the path: left out.
    for (int i = 0; i < 200; ++i) {
        auto held = co_await lock.acquire();
        co_await held.release();
        create_and_delete(bare);
        create_and_delete(redirected);
    }
    sample times, limit, redirected_limit;
    for (std::size_t i = 0; i < iterations; ++i) {
        const auto start = clock::now();
        auto held = co_await lock.acquire();
        co_await held.release();
        const auto middle = clock::now();
        create_and_delete(bare);
        const auto end = clock::now();
        times.add(middle - start);
        limit.add(end - middle);
        create_and_delete(redirected);
        redirected_limit.add(clock::now() - end);
        shown.at(i, iterations);
    }
    row ours_row{.scenario = "uncontended", .strategy = "turnstile", .sessions = 1};
    ours_row.set_times(times);
    row limit_row{.scenario = "uncontended", .strategy = plain_api.strategy, .sessions = 1};
    limit_row.set_times(limit);
    row redirected_row{
        .scenario = "uncontended", .strategy = redirected_api.strategy, .sessions = 1};
    redirected_row.set_times(redirected_limit);
    redirected_row.set_ratio(redirected_limit, limit);
    ours_row.set_ratio(times, limit);
    ours_row.threads = threads_of_this_process();

    if (server.has_counters()) { // apart, since the bare client's requests would count too
        constexpr double rounds = 500;
        const auto before = server.counters().at("zk_packets_received");
        for (int i = 0; i < static_cast<int>(rounds); ++i) {
            auto held = co_await lock.acquire();
            co_await held.release();
        }
        const auto after = server.counters().at("zk_packets_received");
        // The word that reads the counters is a packet itself.
        ours_row.requests_per_acquire = (after - before - 1) / rounds;
    }
    co_await ours.close();
    result = {ours_row, limit_row, redirected_row};
    for (auto& each : result)
        each.lock = name_of_lock<Lock>();
}

template <class Lock>
rows run_uncontended(const target& server, std::size_t iterations) {
    asio::io_context context(1);
    rows result;
    asio::co_spawn(context, measure_pairs<Lock>(server, iterations, result),
                   [](const std::exception_ptr& e) {
                       if (e)
                           std::rethrow_exception(e);
                   });
    context.run();
    return result;
}

} // namespace

rows measure_uncontended(const target& server, const std::string& lock, std::size_t iterations) {
    if (lock == name_of_lock<readers_lock>())
        return run_uncontended<readers_lock>(server, iterations);
    if (lock == name_of_lock<shared_mutex>())
        return run_uncontended<shared_mutex>(server, iterations);
    return run_uncontended<mutex>(server, iterations);
}

} // namespace turnstile::bench
