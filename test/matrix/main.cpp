// SPDX-License-Identifier: BSL-1.0
// turnstile-fault-matrix: what frames, sockets and servers do, at the steps of each kind of lock,
// on three real servers.
#include "matrix_run.hpp"

#include "support/certificates.hpp"
#include "support/ensemble.hpp"
#include "support/pch.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>

namespace {

using namespace turnstile::matrix;

std::vector<cell> select(const std::vector<std::string>& names) {
    auto cells = all_cells();
    if (!names.empty())
        std::erase_if(cells, [&](const cell& each) {
            return std::ranges::none_of(names, [&](const std::string& name) {
                return each.name().find(name) != std::string::npos;
            });
        });
    return cells;
}

int list(const std::vector<cell>& cells) {
    for (const auto& each : cells)
        std::cout << each.name() << '\n';
    return 0;
}

// No lock path is reaped while a cell looks at it, and the lucky sessions may be patient.
turnstile::test::ensemble::options lasting() {
    turnstile::test::ensemble::options how;
    how.server.container_check_ms = 24 * 3'600'000;
    how.server.max_session_timeout_ms = 40'000;
    return how;
}

int run(const std::vector<cell>& cells, const run_options& how) {
    turnstile::test::ensemble servers{lasting()};
    server_set where;
    for (std::size_t i = 0; i < servers.size(); ++i)
        where.ports.push_back(servers.server(i).port());
    where.leader = servers.leader();
    where.slower = how.slower;
    std::optional<turnstile::test::certificates> certificates;
    if (how.tls)
        where.shown = &certificates.emplace();
    std::cerr << "matrix: " << cells.size() << " cells, seed " << how.seed << '\n';
    boost::json::array bad;
    for (const auto& result : run_all(where, cells, how))
        if (!result.violations.empty())
            bad.emplace_back(result.what.name());
    const bool good = bad.empty() && !cells.empty();
    const auto violations = bad.size();
    const boost::json::object line{{"seed", how.seed},
                                   {"cells", cells.size()},
                                   {"violations", violations},
                                   {"bad", std::move(bad)}};
    std::cout << boost::json::serialize(line) << std::endl;
    return good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    run_options how;
    std::vector<std::string> names;
    bool only_list = false;
    CLI::App app{"Puts faults at the steps of the protocol, on real servers"};
    app.add_option("--seed", how.seed, "draws the details of each cell")->capture_default_str();
    app.add_option("--cell", names, "only cells with this in their names");
    app.add_option("--at-once", how.at_once, "cells at the same time")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--slower", how.slower, "on a busy machine: the session timeouts, times this")
        ->check(CLI::Range(1, 8))
        ->capture_default_str();
    app.add_flag("--tls", how.tls, "the session that meets the faults speaks TLS");
    app.add_flag("--verbose", how.verbose, "tell about every cell");
    app.add_flag("--list", only_list, "the cells' names");
    CLI11_PARSE(app, argc, argv);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        const auto cells = select(names);
        return only_list ? list(cells) : run(cells, how);
    } catch (const std::exception& e) {
        std::cerr << "turnstile-fault-matrix: " << e.what() << '\n';
        return 2;
    }
}
