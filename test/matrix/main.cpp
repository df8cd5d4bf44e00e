// turnstile-fault-matrix: every step of the protocol, times every fault, times what comes after, on
// three real servers.
#include "matrix_run.hpp"

#include "support/ensemble.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace turnstile::matrix;

struct selection {
    std::size_t part = 0; ///< 0: all parts
    std::size_t of = 3;
    std::vector<std::string> names; ///< parts of cells' names; empty: all
};

std::vector<cell> select(const selection& asked, std::uint64_t seed) {
    auto cells = all_cells();
    if (asked.part != 0)
        cells = part_of(std::move(cells), asked.part, asked.of, seed);
    if (!asked.names.empty())
        std::erase_if(cells, [&](const cell& each) {
            return std::ranges::none_of(asked.names, [&](const std::string& name) {
                return each.name().find(name) != std::string::npos;
            });
        });
    return cells;
}

int list(const std::vector<cell>& cells) {
    for (const auto& each : cells) {
        std::cout << each.name();
        if (!each.obstacle().empty())
            std::cout << "  impossible: " << each.obstacle();
        std::cout << '\n';
    }
    return 0;
}

// No lock path is reaped while a cell looks at it, and the lucky sessions may be patient.
turnstile::test::ensemble::options lasting() {
    turnstile::test::ensemble::options how;
    how.server.container_check_ms = 24 * 3'600'000;
    how.server.max_session_timeout_ms = 40'000;
    return how;
}

int run(std::vector<cell> cells, const run_options& how) {
    const auto impossible =
        std::erase_if(cells, [](const cell& each) { return !each.obstacle().empty(); });
    turnstile::test::ensemble servers{lasting()};
    arena where;
    for (std::size_t i = 0; i < servers.size(); ++i)
        where.ports.push_back(servers.server(i).port());
    where.leader = servers.leader();
    where.slower = how.slower;
    std::cerr << "matrix: " << cells.size() << " cells, seed " << how.seed << '\n';
    boost::json::array bad;
    for (const auto& result : play_all(where, cells, how))
        if (!result.violations.empty())
            bad.emplace_back(result.what.name());
    const bool good = bad.empty() && !cells.empty();
    const auto violations = bad.size();
    const boost::json::object line{{"seed", how.seed},
                                   {"cells", cells.size()},
                                   {"impossible", impossible},
                                   {"violations", violations},
                                   {"bad", std::move(bad)}};
    std::cout << boost::json::serialize(line) << std::endl;
    return good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    run_options how;
    selection asked;
    bool only_list = false;
    CLI::App app{"Puts every fault at every step of the protocol, on real servers"};
    app.add_option("--seed", how.seed, "draws the parts and the details of each cell")
        ->capture_default_str();
    app.add_option("--part", asked.part, "only this part of --of, by lot");
    app.add_option("--of", asked.of, "how many parts")->capture_default_str();
    app.add_option("--cell", asked.names, "only cells with this in their names");
    app.add_option("--at-once", how.at_once, "cells at the same time")->capture_default_str();
    app.add_option("--slower", how.slower, "on a busy machine: the session timeouts, times this")
        ->check(CLI::Range(1, 8))
        ->capture_default_str();
    app.add_flag("--verbose", how.verbose, "tell about every cell");
    app.add_flag("--list", only_list, "the cells' names, and why some cannot be");
    CLI11_PARSE(app, argc, argv);
    std::signal(SIGPIPE, SIG_IGN);
    if (asked.part > asked.of || asked.of == 0 || how.at_once == 0) {
        std::cerr << "turnstile-fault-matrix: there is no such part\n";
        return 2;
    }
    try {
        auto cells = select(asked, how.seed);
        return only_list ? list(cells) : run(std::move(cells), how);
    } catch (const std::exception& e) {
        std::cerr << "turnstile-fault-matrix: " << e.what() << '\n';
        return 2;
    }
}
