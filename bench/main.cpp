// SPDX-License-Identifier: BSL-1.0
// turnstile-bench: how fast a lock is taken and handed on, beside the bare C client.
#include "compare_command.hpp"
#include "report/about.hpp"
#include "report/report.hpp"
#include "scenario_command.hpp"
#include "scenarios.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>
#include <sys/resource.h>

namespace {

using namespace turnstile::bench;

struct common_options {
    target_choice server{};
    std::string json{};
    std::size_t runs = 1;
    std::size_t warm_ups = 1500;

    void add_to(CLI::App& app) {
        auto* const servers = app.add_option("--server", server.servers,
                                             "HOST:PORT[,...]; a private server if not given");
        app.add_option("--json", json, "write the rows, or the comparison, to this file");
        app.add_option("--runs", runs, "measure so many times, each a row of its own")
            ->check(CLI::PositiveNumber);
        app.add_option("--warm-up", warm_ups, "rounds before anything is measured")
            ->check(CLI::PositiveNumber);
        app.add_option("--ensemble", server.ensemble, "so many private servers as one ensemble")
            ->check(CLI::Range(1, 9))
            ->excludes(servers);
        app.add_flag("--fsync", server.fsync,
                     "the private servers write to the disk before they answer")
            ->excludes(servers);
        app.add_flag("--tls", server.tls, "speak TLS with a private server")->excludes(servers);
        app.add_option("--tls-ca", server.authorities,
                       "speak TLS with that server, whose certificate these authorities signed");
        app.fallthrough();
    }
};

/// A line over a thousand sessions has three thousand connections.
void allow_all_descriptors() {
    rlimit open{};
    if (::getrlimit(RLIMIT_NOFILE, &open) == 0) {
        open.rlim_cur = open.rlim_max;
        ::setrlimit(RLIMIT_NOFILE,
                    &open); // a refusal leaves the limit, and then a connection fails
    }
}

CLI::App* add_report(CLI::App& app, report_options& how) {
    auto* const added = app.add_subcommand("report", "a page with charts of files of rows");
    added->add_option("files", how.files, "that --json wrote")->required();
    added->add_option("--output", how.output, "build/bench-report/index.html if not given");
    added->add_option("--d3", how.d3, "the charts' library, if not where Debian has it");
    added->add_option("--d3-licence", how.d3_licence, "what the page says of it");
    return added;
}

void run(const scenario_command& what, const common_options& how, int argc, char** argv) {
    what.check();
    const target server(how.server);
    if (what.counts && !server.has_counters())
        std::fprintf(stderr, "turnstile-bench: no counts of requests and events: %s\n",
                     server.no_counters().c_str());
    if (what.warm)
        warm_up(server, how.warm_ups);
    rows result;
    for (std::size_t i = 0; i < how.runs; ++i) {
        auto measured = what.measure(server);
        result.insert(result.end(), std::make_move_iterator(measured.begin()),
                      std::make_move_iterator(measured.end()));
    }
    what.print(result);
    if (!how.json.empty()) {
        write_json(result, how.json);
        write_about(how.json, argc, argv, server);
    }
    what.end();
}

} // namespace

int main(int argc, char** argv) {
    allow_all_descriptors();
    CLI::App app{"Measures Turnstile beside the bare ZooKeeper C client."};
    app.require_subcommand(1);
    common_options common;
    common.add_to(app);
    const auto scenarios = scenario_commands(app, common.warm_ups);
    compare_command comparing(app);
    report_options report;
    auto* const reporting = add_report(app, report);
    CLI11_PARSE(app, argc, argv);

    if (comparing.is_given())
        return comparing.run(common.json);
    try {
        if (reporting->parsed())
            make_report(report);
        for (const auto& each : scenarios)
            if (each.options->parsed())
                run(each, common, argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "turnstile-bench: %s\n", e.what());
        return 1;
    }
    return 0;
}
