// turnstile-bench: how fast a lock is taken and handed on, beside the bare C client.
#include "progress.hpp"
#include "scenarios.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>

namespace {

using namespace turnstile::bench;

void append(rows& to, rows from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Lines longer than `longest` are left out.
rows measure_suite(const target& server, std::size_t iterations, std::size_t longest) {
    rows result;
    const auto half = std::max<std::size_t>(1, iterations / 2);
    append(result, measure_limit(server, half));
    append(result, measure_uncontended(server, iterations));
    append(result, measure_wakeup(server, std::min(half, longest), 1));
    for (const std::size_t waiters : {10, 100, 1000, 10'000})
        if (waiters <= longest)
            append(result, measure_wakeup(server, waiters, 10));
    return result;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app{"Measures Turnstile beside the bare ZooKeeper C client."};
    app.require_subcommand(1);
    std::string servers;
    std::string json;
    app.add_option("--server", servers, "HOST:PORT[,...]; a private server if not given");
    app.add_option("--json", json, "write the rows to this file, an array of objects");
    app.fallthrough();

    std::size_t iterations = 5000;
    std::size_t waiters = 1000;
    std::size_t sessions = 10;
    std::size_t longest = 10'000;
    bool quick = false;
    auto* limit = app.add_subcommand("limit", "the bare C client alone");
    limit->add_option("--iterations", iterations)->check(CLI::PositiveNumber);
    auto* uncontended = app.add_subcommand("uncontended", "acquire and release of a free lock");
    uncontended->add_option("--iterations", iterations)->check(CLI::PositiveNumber);
    auto* wakeup = app.add_subcommand("wakeup", "hand-off along a line of waiters");
    wakeup->add_option("--waiters", waiters)->check(CLI::PositiveNumber);
    wakeup->add_option("--sessions", sessions)->check(CLI::PositiveNumber);
    auto* suite = app.add_subcommand("suite", "all of them as one table");
    suite->add_flag("--quick", quick, "fewer iterations");
    auto* suite_iterations =
        suite->add_option("--iterations", iterations)->check(CLI::PositiveNumber);
    suite->add_option("--longest", longest, "leave lines of more waiters out")
        ->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);

    try {
        const target server(servers);
        if (!server.has_counters())
            std::fprintf(stderr, "turnstile-bench: no counts of requests and events: %s\n",
                         server.no_counters().c_str());
        warm_up(server);
        rows result;
        if (*limit)
            result = measure_limit(server, iterations);
        else if (*uncontended)
            result = measure_uncontended(server, iterations);
        else if (*wakeup)
            result = measure_wakeup(server, waiters, sessions);
        else if (*suite)
            result = measure_suite(server, *suite_iterations ? iterations : (quick ? 2000 : 20'000),
                                   longest);
        print_table(result);
        if (!json.empty())
            write_json(result, json);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "turnstile-bench: %s\n", e.what());
        return 1;
    }
    return 0;
}
