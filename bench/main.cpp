// turnstile-bench: how fast a lock is taken and handed on, beside the bare C client.
#include "comparison.hpp"
#include "limit_api.hpp"
#include "progress.hpp"
#include "report/about.hpp"
#include "report/report.hpp"
#include "scenarios.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
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

/// Lines longer than `longest` are left out.
rows measure_suite(const target& server, std::size_t iterations, std::size_t longest) {
    rows result;
    const lock_choice mutex;
    const auto half = std::max<std::size_t>(1, iterations / 2);
    append(result, measure_limit(server, half));
    append(result, measure_uncontended(server, mutex, iterations));
    append(result, measure_wakeup(server, mutex, std::min(half, longest), 1));
    for (const std::size_t waiters : {10, 100, 1000, 10'000})
        if (waiters <= longest)
            append(result, measure_wakeup(server, mutex, waiters, 10));
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
    auto* limit = app.add_subcommand("limit", "the bare C client alone");
    limit->add_option("--iterations", iterations)->check(CLI::PositiveNumber);
    auto* uncontended = app.add_subcommand("uncontended", "acquire and release of a free lock");
    auto* uncontended_iterations =
        uncontended->add_option("--iterations", iterations)->check(CLI::PositiveNumber);
    auto* wakeup = app.add_subcommand("wakeup", "hand-off along a line of waiters");
    wakeup->add_option("--waiters", waiters)->check(CLI::PositiveNumber);
    wakeup->add_option("--sessions", sessions)->check(CLI::PositiveNumber);
    std::size_t hand_offs = 1000;
    wakeup->add_option("--hand-offs", hand_offs, "at least so many: a short line forms again")
        ->check(CLI::PositiveNumber);
    for (auto* each : {uncontended, wakeup}) {
        each->add_option("--lock", lock.kind, "what is taken")->check(locks);
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
    sides given;
    auto* comparing = app.add_subcommand("compare", "two files of rows, A.json B.json");
    comparing->add_option("files", given.files, "base and new");
    comparing->add_option("--base", given.base, "several runs of the base");
    comparing->add_option("--new", given.now, "several runs of the new");
    comparing->add_flag("--fail-on-worse", given.fail_on_worse, "exit code 1 if something is");
    report_options report;
    auto* reporting = app.add_subcommand("report", "a page with charts of files of rows");
    reporting->add_option("files", report.files, "that --json wrote")->required();
    reporting->add_option("--output", report.output, "build/bench-report/index.html if not given");
    reporting->add_option("--d3", report.d3, "the charts' library, if not where Debian has it");
    reporting->add_option("--d3-licence", report.d3_licence, "what the page says of it");
    CLI11_PARSE(app, argc, argv);

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
        if (*reporting) {
            make_report(report);
            return 0;
        }
        const target server(servers);
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
        if (!*cost)
            warm_up(server, warm_ups);
        rows result;
        for (std::size_t run = 0; run < runs; ++run) {
            if (*limit)
                append(result, measure_limit(server, iterations));
            else if (*uncontended)
                append(result, measure_uncontended(server, lock, iterations));
            else if (*wakeup)
                append(result, measure_wakeup(server, lock, waiters, sessions, hand_offs));
            else if (*suite)
                append(result, measure_suite(
                                   server, *suite_iterations ? iterations : (quick ? 2000 : 20'000),
                                   longest));
            else if (*cost)
                append(result, measure_cost(server, counted_pairs, repeats));
        }
        print_table(result);
        if (!json.empty()) {
            write_json(result, json);
            write_about(json, argc, argv, server);
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "turnstile-bench: %s\n", e.what());
        return 1;
    }
    return 0;
}
