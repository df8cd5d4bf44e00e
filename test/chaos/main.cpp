// SPDX-License-Identifier: BSL-1.0
// turnstile-chaos: three servers, workers that compete for locks, and a seeded schedule of faults
// between and on all of them. Histories and transaction logs go to a folder, for turnstile-check.
#include "chaos_run.hpp"
#include "network.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace turnstile::chaos;

/// On standard error what is wrong, on standard output one line.
int report(const run_options& how, const run_result& result) {
    boost::json::array said;
    for (const auto& failure : result.failures) {
        std::cerr << "chaos: " << failure << '\n';
        said.emplace_back(failure);
    }
    boost::json::object kinds;
    for (std::size_t i = 0; i < result.kinds.size(); ++i)
        kinds[fault_kind_names[i]] = result.kinds[i];
    boost::json::object locks;
    for (std::size_t i = 0; i < result.by_sort.size(); ++i)
        locks[lock_sort_names[i]] = result.by_sort[i];
    locks["several"] = result.several;
    locks["leases_of_several"] = result.leases;
    locks["readers"] = result.readers;
    locks["downgrades"] = result.downgrades;
    locks["upgrades"] = result.upgrades;
    locks["increments"] = result.increments;
    locks["yields"] = result.yields;
    const boost::json::object line{{"seed", how.seed},
                                   {"minutes", how.minutes},
                                   {"settings", turnstile::test::name_of_settings(how.settings)},
                                   {"server_partitions", result.namespaces},
                                   {"acquisitions", result.acquisitions},
                                   {"by_lock", locks},
                                   {"least", result.least_acquisitions},
                                   {"faults", result.faults},
                                   {"connection_faults", result.connection_faults},
                                   {"leader_crashes", result.leader_crashes},
                                   {"process_faults", result.process_faults},
                                   {"kinds", kinds},
                                   {"stale_refused", result.stale_refused},
                                   {"guard_ended", result.guard_ended},
                                   {"hostile_ends", result.hostile_ends},
                                   {"outstanding", result.not_served},
                                   {"left", result.tickets_left},
                                   {"failures", said}};
    std::cout << boost::json::serialize(line) << std::endl;
    return result.failures.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    run_options how;
    bool no_namespaces = false;
    bool if_allowed = false;
    std::string only{name_of(lock_mix::all)};
    CLI::App app{"Competes for locks on real servers under a seeded schedule of faults"};
    app.add_option("--minutes", how.minutes, "how long the faults go on")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--seed", how.seed, "of the schedule")->capture_default_str();
    app.add_option("--workers", how.workers, "processes")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--contenders", how.contenders, "over all workers")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--locks", how.locks.count, "that they compete for")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--only", only, "kind of lock")
        ->check(CLI::IsMember(lock_mix_names))
        ->capture_default_str();
    app.add_option("--folder", how.folder, "for histories and logs; must not exist")->required();
    app.add_option("--least", how.least_acquisitions,
                   "acquisitions that the run must reach; 0: by its length");
    app.add_flag("--no-namespaces", no_namespaces,
                 "servers on loopback: no parting of servers from each other");
    app.add_flag("--namespaces-if-allowed", if_allowed,
                 "on loopback where network namespaces cannot be made");
    app.add_option("--lose-one-in", how.lose_one_in, "of the watch events; 0: none is lost")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_flag("--tls", how.tls, "the workers speak TLS");
    std::string settings{turnstile::test::name_of_settings(how.settings)};
    app.add_option("--settings", settings, "of the servers")
        ->check(CLI::IsMember(turnstile::test::server_settings_names))
        ->capture_default_str();
    bool guarded = false;
    app.add_flag("--guard", guarded, "a host guard ends the sessions of workers that are killed");
    app.add_flag("--quiet", how.quiet, "no faults, to see what the machine can do");
    CLI11_PARSE(app, argc, argv);
    how.locks.mix = *lock_mix_called(only);
    how.namespaces = !no_namespaces;
    how.settings = turnstile::test::server_settings_called(settings);
    how.folder = fs::absolute(how.folder);
    if (guarded)
        how.guard = TURNSTILE_COMMAND;
    std::signal(SIGPIPE, SIG_IGN);
    for (const int number : {SIGINT, SIGTERM})
        std::signal(number, [](int) { interrupt_chaos(); });
    try {
        if (fs::exists(how.folder)) {
            std::cerr << "turnstile-chaos: " << how.folder << " is there already\n";
            return 2;
        }
        if (how.namespaces) {
            network::remove_stale();
            const auto obstacle = network::obstacle();
            if (!obstacle.empty()) {
                std::cerr << "turnstile-chaos: " << obstacle << '\n';
                if (!if_allowed) {
                    std::cerr << "--no-namespaces runs without parting servers\n";
                    return 2;
                }
            }
            how.namespaces = obstacle.empty();
        }
        if (!how.namespaces)
            std::cerr << "chaos: without network namespaces no server is parted from another\n";
        fs::create_directories(how.folder);
        const auto worker =
            fs::read_symlink("/proc/self/exe").parent_path() / "turnstile-chaos-worker";
        return report(how, run_chaos(how, worker));
    } catch (const std::exception& e) {
        std::cerr << "turnstile-chaos: " << e.what() << '\n';
        return 2;
    }
}
