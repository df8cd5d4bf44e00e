// turnstile-bench: how fast a lock is taken and handed on, beside the bare C client.
#include "comparison.hpp"
#include "limit_api.hpp"
#include "peer_kind.hpp"
#include "peers.hpp"
#include "progress.hpp"
#include "scenarios.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace turnstile::bench;

void append(rows& to, rows from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Lines longer than `longest` are left out, and of other ways to wait those longer than
/// `longest_of_others`.
rows measure_suite(const target& server, std::size_t iterations, std::size_t longest,
                   std::size_t longest_of_others) {
    rows result;
    const lock_choice mutex;
    const auto half = std::max<std::size_t>(1, iterations / 2);
    append(result, measure_limit(server, half));
    append(result, measure_uncontended(server, mutex, iterations));
    append(result,
           measure_wakeup(server, mutex, {.waiters = std::min(half, longest), .sessions = 1}));
    for (const std::size_t waiters : {10, 100, 1000, 10'000})
        if (waiters <= longest)
            append(result, measure_wakeup(server, mutex, {.waiters = waiters, .sessions = 10}));
    for (const auto& name : names_of_strategies())
        for (const std::size_t waiters : {10, 100, 1000})
            if (name != mutex.strategy && waiters <= std::min(longest, longest_of_others))
                append(result, measure_wakeup(server, choice_of_strategy(name),
                                              {.waiters = waiters, .sessions = 10}));
    return result;
}

struct sides {
    std::vector<std::string> files; // base and new, if there is one of each
    std::vector<std::string> base;
    std::vector<std::string> now;
    bool fail_on_worse = false;
};

/// Returns the exit code: 0, 1 if something got worse and that was asked for, 2 for bad input.
int compare_files(sides given, const std::string& json) {
    try {
        if (given.files.size() == 2 && given.base.empty() && given.now.empty()) {
            given.base = {given.files[0]};
            given.now = {given.files[1]};
        } else if (!given.files.empty() || given.base.empty() || given.now.empty()) {
            throw std::runtime_error("compare takes two files, or --base FILE... --new FILE...");
        }
        const auto result = compare(read_side(given.base), read_side(given.now));
        print_comparison(result);
        if (!json.empty())
            write_comparison(result, json);
        return given.fail_on_worse && result.worse() > 0 ? 1 : 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "turnstile-bench: %s\n", e.what());
        return 2;
    }
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app{"Measures Turnstile beside the bare ZooKeeper C client."};
    app.require_subcommand(1);
    std::string servers;
    std::string json;
    app.add_option("--server", servers, "HOST:PORT[,...]; a private server if not given");
    app.add_option("--json", json, "write the rows, or the comparison, to this file");
    std::size_t runs = 1;
    app.add_option("--runs", runs, "measure so many times, each a row of its own")
        ->check(CLI::PositiveNumber);
    std::size_t warm_ups = 1500;
    app.add_option("--warm-up", warm_ups, "rounds before anything is measured")
        ->check(CLI::PositiveNumber);
    std::size_t ensemble = 1;
    app.add_option("--ensemble", ensemble, "so many private servers as one ensemble")
        ->check(CLI::Range(1, 9))
        ->excludes("--server");
    bool fsync = false;
    app.add_flag("--fsync", fsync, "the private servers write to the disk before they answer")
        ->excludes("--server");
    app.fallthrough();

    std::size_t iterations = 5000;
    std::size_t waiters = 1000;
    std::size_t sessions = 10;
    std::size_t longest = 10'000;
    bool quick = false;
    lock_choice lock;
    std::size_t leases = 10;
    std::size_t parts = 0;
    const CLI::IsMember locks{names_of_locks()};
    std::string strategy = lock.strategy;
    const CLI::IsMember ways_to_wait{names_of_strategies()};
    auto* limit = app.add_subcommand("limit", "the bare C client alone");
    limit->add_option("--iterations", iterations)->check(CLI::PositiveNumber);
    auto* uncontended = app.add_subcommand("uncontended", "acquire and release of a free lock");
    auto* uncontended_iterations =
        uncontended->add_option("--iterations", iterations)->check(CLI::PositiveNumber);
    auto* wakeup = app.add_subcommand("wakeup", "hand-off along a line of waiters");
    wakeup->add_option("--waiters", waiters)->check(CLI::PositiveNumber);
    wakeup->add_option("--sessions", sessions)->check(CLI::PositiveNumber);
    std::size_t hand_offs = 1000;
    bool cold = false;
    std::size_t rest_ms = 50;
    wakeup->add_flag("--cold", cold, "everybody rests before each hand-off");
    wakeup->add_option("--rest-ms", rest_ms, "for so long")->check(CLI::PositiveNumber);
    auto* wished_hand_offs =
        wakeup->add_option("--hand-offs", hand_offs, "at least so many: a short line forms again")
            ->check(CLI::PositiveNumber);
    for (auto* each : {uncontended, wakeup}) {
        auto* kind = each->add_option("--lock", lock.kind, "what is taken")->check(locks);
        each->add_option("--strategy", strategy, "how the lock is waited for")
            ->check(ways_to_wait)
            ->excludes(kind);
        each->add_option("--leases", leases, "of a semaphore")->check(CLI::PositiveNumber);
        each->add_option("--parts", parts, "of a multi: 1000, in wakeup 10")
            ->check(CLI::PositiveNumber);
    }
    auto* suite = app.add_subcommand("suite", "all of them as one table");
    suite->add_flag("--quick", quick, "fewer iterations");
    auto* suite_iterations =
        suite->add_option("--iterations", iterations)->check(CLI::PositiveNumber);
    suite->add_option("--longest", longest, "leave lines of more waiters out")
        ->check(CLI::PositiveNumber);
    auto* throughput =
        app.add_subcommand("throughput", "acquire and release of many locks at once");
    std::size_t different = 1000;
    std::size_t inflight = 32;
    std::size_t throughput_pairs = 20'000;
    throughput->add_option("--locks", different, "different ones")->check(CLI::PositiveNumber);
    throughput->add_option("--inflight", inflight, "at once")->check(CLI::PositiveNumber);
    throughput->add_option("--iterations", throughput_pairs)->check(CLI::PositiveNumber);
    auto* memory = app.add_subcommand("memory", "resident bytes of a waiting coroutine");
    std::size_t memory_waiters = 8000;
    memory->add_option("--waiters", memory_waiters)->check(CLI::PositiveNumber);
    auto* storm = app.add_subcommand("storm", "half of a line is cancelled at once");
    std::size_t storm_waiters = 10'000;
    storm->add_option("--waiters", storm_waiters)->check(CLI::PositiveNumber);
    storm->add_option("--sessions", sessions)->check(CLI::PositiveNumber);
    auto* death = app.add_subcommand("death", "the process that holds the lock is killed");
    std::size_t deaths = 5;
    std::size_t timeout_ms = 4000;
    death->add_option("--iterations", deaths)->check(CLI::PositiveNumber);
    auto* hold = app.add_subcommand("hold", "holds a lock until it is killed: a part of `death`");
    hold->group(""); // not for people
    for (auto* each : {death, hold})
        each->add_option("--timeout-ms", timeout_ms, "of the sessions")->check(CLI::PositiveNumber);
    auto* idle = app.add_subcommand("idle", "what held locks cost the server meanwhile");
    std::size_t holders = 100;
    std::size_t idle_seconds = 20;
    idle->add_option("--holders", holders)->check(CLI::PositiveNumber);
    idle->add_option("--seconds", idle_seconds)->check(CLI::PositiveNumber);
    auto* pairs = app.add_subcommand("pairs", "acquire and release, untimed: for a tool to count");
    pairs->add_option("--iterations", iterations)->check(CLI::PositiveNumber);
    bool of_limit = false;
    bool of_redirected = false;
    pairs->add_flag("--limit", of_limit, "the bare C client's create and multi instead");
    pairs->add_flag("--redirected", of_redirected, "the same with its socket calls redirected");
    std::size_t counted_pairs = 2000;
    auto* cost = app.add_subcommand("cost", "instructions, allocations and system calls of a pair");
    std::size_t repeats = 5;
    cost->add_option("--iterations", counted_pairs)->check(CLI::PositiveNumber);
    cost->add_option("--repeats", repeats)->check(CLI::PositiveNumber);
    peers_choice beside;
    auto* peers = app.add_subcommand("peers", "beside the locks of other libraries");
    peers->add_option("--waiters", beside.waiters, "several lines: 10 100 1000")
        ->check(CLI::PositiveNumber);
    peers->add_option("--sessions", beside.sessions)->check(CLI::PositiveNumber);
    peers->add_option("--only", beside.only, "these peers")->check(CLI::IsMember(names_of_peers()));
    peers->add_option("--rounds", beside.rounds)->check(CLI::PositiveNumber);
    peers->add_option("--iterations", beside.pairs, "pairs of a round")->check(CLI::PositiveNumber);
    peers->add_option("--hand-offs", beside.hand_offs, "of a round, at least")
        ->check(CLI::PositiveNumber);
    sides given;
    auto* comparing = app.add_subcommand("compare", "two files of rows, A.json B.json");
    comparing->add_option("files", given.files, "base and new");
    comparing->add_option("--base", given.base, "several runs of the base");
    comparing->add_option("--new", given.now, "several runs of the new");
    comparing->add_flag("--fail-on-worse", given.fail_on_worse, "exit code 1 if something is");
    CLI11_PARSE(app, argc, argv);

    if (strategy != lock.strategy)
        lock = choice_of_strategy(strategy);
    if (lock.kind == "semaphore")
        lock.size = leases;
    if (lock.kind == "multi") {
        lock.size = parts > 0 ? parts : (*wakeup ? 10 : 1000);
        if (!*uncontended_iterations)
            iterations = 100; // each takes that many locks
    }
    if (*comparing)
        return compare_files(std::move(given), json);

    try {
        if (const auto why = why_not_measured(lock, waiters); *wakeup && !why.empty())
            throw std::invalid_argument(why);
        const target server({.servers = servers, .ensemble = ensemble, .fsync = fsync});
        if (*hold) {
            hold_until_killed(server, std::chrono::milliseconds(timeout_ms));
            return 1;
        }
        if (*pairs) {
            if (of_limit || of_redirected)
                run_limit_pairs(server, iterations, of_redirected ? redirected_api : plain_api);
            else
                run_pairs(server, iterations);
            return 0;
        }
        if (!server.has_counters() && !*cost)
            std::fprintf(stderr, "turnstile-bench: no counts of requests and events: %s\n",
                         server.no_counters().c_str());
        if (!*cost && !*memory && !*death && !*idle)
            warm_up(server, warm_ups);
        line_choice line{.waiters = waiters, .sessions = sessions, .hand_offs = hand_offs};
        if (cold) {
            line.rest = std::chrono::milliseconds(rest_ms);
            if (!*wished_hand_offs)
                line.hand_offs = cold_hand_offs;
        }
        beside.warm_up = warm_ups;
        rows result;
        for (std::size_t run = 0; run < runs; ++run) {
            if (*limit)
                append(result, measure_limit(server, iterations));
            else if (*uncontended)
                append(result, measure_uncontended(server, lock, iterations));
            else if (*wakeup)
                append(result, measure_wakeup(server, lock, line));
            else if (*throughput)
                append(result, measure_throughput(server, different, inflight, throughput_pairs));
            else if (*memory)
                append(result, measure_memory(server, memory_waiters));
            else if (*storm)
                append(result, measure_storm(server, storm_waiters, sessions));
            else if (*death)
                append(result,
                       measure_death(server, std::chrono::milliseconds(timeout_ms), deaths));
            else if (*idle)
                append(result, measure_idle(server, holders, std::chrono::seconds(idle_seconds)));
            else if (*suite)
                append(result, measure_suite(
                                   server, *suite_iterations ? iterations : (quick ? 2000 : 20'000),
                                   longest, quick ? 100 : largest_herd));
            else if (*peers)
                append(result, measure_peers(server, beside));
            else if (*cost)
                append(result, measure_cost(server, counted_pairs, repeats));
        }
        if (*peers)
            print_peers(result);
        else
            print_table(result);
        if (!json.empty())
            write_json(result, json);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "turnstile-bench: %s\n", e.what());
        return 1;
    }
    return 0;
}
