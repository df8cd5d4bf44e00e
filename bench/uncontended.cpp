// SPDX-License-Identifier: BSL-1.0
#include "bare_api.hpp"
#include "bare_client.hpp"
#include "bare_pair.hpp"
#include "bare_rows.hpp"
#include "progress.hpp"
#include "run_to_end.hpp"
#include "scenarios.hpp"
#include "strategies/strategies.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

/// Of pairs: the acquire, and both.
struct pair_samples {
    sample acquire;
    sample both;

    void add(clock::time_point start, clock::time_point acquired, clock::time_point released) {
        acquire.add(acquired - start);
        both.add(released - start);
    }
    void add(bare_pair& bare) {
        const auto start = clock::now();
        bare.acquire();
        const auto acquired = clock::now();
        bare.release();
        add(start, acquired, clock::now());
    }
};

/// So many pairs, or fewer where one takes several locks.
std::size_t fewer(std::size_t pairs, std::size_t locks) {
    return std::max<std::size_t>(10, pairs / locks);
}

/// Requests for an acquire and release, and for an acquire alone.
struct request_counts {
    double both = 0;
    double acquire = 0;
};

template <class Lock>
asio::awaitable<request_counts> count_requests(const target& server, Lock& lock,
                                               std::size_t locks) {
    const auto rounds = fewer(500, locks);
    const auto acquires = fewer(50, locks);
    // The word that reads the counters is a packet itself.
    const auto packets = [&server] { return server.counters().at("zk_packets_received"); };
    request_counts result;
    result.both = -packets() - 1;
    for (std::size_t i = 0; i < rounds; ++i) {
        auto held = co_await lock.acquire();
        co_await held.release();
    }
    result.both += packets();
    for (std::size_t i = 0; i < acquires; ++i) {
        result.acquire -= packets() + 1;
        auto held = co_await lock.acquire();
        result.acquire += packets();
        co_await held.release();
    }
    result.both /= static_cast<double>(rounds);
    result.acquire /= static_cast<double>(acquires);
    co_return result;
}

template <class Lock>
asio::awaitable<void> measure_pairs(asio::io_context& context, const target& server,
                                    lock_choice choice, std::size_t iterations, rows& result) {
    progress shown("uncontended");
    const auto path = path_of("uncontended", choice);
    const auto ours = Lock::open(context, server, 0);
    Lock lock(*ours, path, choice);
    co_await ours->connect();
    bare_client plain_client(server.first());
    bare_client redirected_client(server.first(), redirected_api);
    const auto plain = make_limit_pair(plain_client, choice);
    const auto redirected = make_limit_pair(redirected_client, choice);

    // The first acquire of a path also makes and reads the path: left out.
    pair_samples left_out;
    const auto locks = Lock::locks(choice);
    for (std::size_t i = 0; i < fewer(200, locks); ++i) {
        auto held = co_await lock.acquire();
        co_await held.release();
        left_out.add(*plain);
        left_out.add(*redirected);
    }
    pair_samples times, bare_times, redirected_times;
    for (std::size_t i = 0; i < iterations; ++i) {
        const auto start = clock::now();
        auto held = co_await lock.acquire();
        const auto acquired = clock::now();
        co_await held.release();
        times.add(start, acquired, clock::now());
        bare_times.add(*plain);
        redirected_times.add(*redirected);
        shown.at(i, iterations);
    }
    row both{.scenario = "uncontended", .strategy = {}, .sessions = 1};
    both.threads = threads_of_this_process();
    auto acquire = both;
    acquire.scenario = "uncontended-acquire";
    if (server.has_counters()) { // apart, since the bare client's requests would count too
        const auto counted = co_await count_requests(server, lock, locks);
        both.requests_per_acquire = counted.both;
        acquire.requests_per_acquire = counted.acquire;
    }
    co_await ours->close();
    for (const auto& node : Lock::kept_nodes(path))
        plain_client.remove(node);
    result = beside_bare_client(both, choice, times.both, bare_times.both, redirected_times.both);
    for (auto& each : beside_bare_client(acquire, choice, times.acquire, bare_times.acquire,
                                         redirected_times.acquire))
        result.push_back(std::move(each));
}

template <class Lock>
rows run_uncontended(const target& server, const lock_choice& lock, std::size_t iterations) {
    asio::io_context context(1);
    rows result;
    run_to_end(context, measure_pairs<Lock>(context, server, lock, iterations, result));
    return result;
}

} // namespace

std::vector<std::string> names_of_locks() { return lock_kinds::names(); }

std::vector<std::string> names_of_strategies() {
    auto all = strategies::names();
    all.insert(all.begin(), lock_choice{}.strategy);
    return all;
}

lock_choice choice_of_strategy(const std::string& name) {
    lock_choice choice{.strategy = name};
    if (!choice.is_turnstile())
        strategies::with(name, [&]<class Lock>() {
            choice.kind = Lock::kind;
            return rows{};
        });
    return choice;
}

rows measure_uncontended(const target& server, const lock_choice& lock, std::size_t iterations) {
    return with_lock(lock,
                     [&]<class Lock>() { return run_uncontended<Lock>(server, lock, iterations); });
}

} // namespace turnstile::bench
