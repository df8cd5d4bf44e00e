// SPDX-License-Identifier: BSL-1.0
// turnstile-interop: Turnstile's locks and the locks of other libraries on one path, one kind of
// peer at a time, while leaders crash. No two may hold the lock at once, no increment of a
// counter under the lock may be lost, and no contender of Turnstile may be starved. A peer that
// hangs by itself is started anew and counted. Of kinds that are known to exclude nobody it must
// see just that. The last line of the output is one JSON object, with one for each kind in it.
#include "contest.hpp"

#include "support/ensemble.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"
#include "support/server_settings.hpp"
#include "support/temp_folder.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>

namespace {

using namespace turnstile::interop;
using turnstile::test::ensemble;

constexpr std::size_t most_until_met = 50;
constexpr int skipped_status = 77; // as ctest knows it

ensemble::options servers_of(const interop_options& how, const std::filesystem::path& folder) {
    ensemble::options result;
    result.server.tick_ms = static_cast<int>(how.tick.count());
    result.server.heap = "192m";
    result.server.start_limit = std::chrono::seconds{60};
    use_settings(result, how.settings, folder);
    return result;
}

void wait_until_held(const contest& all, std::size_t times) {
    while (all.held_by_each() < times && !all.ended()) {
        // justified: the contenders live on another thread
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
}

void replace_leader(contest& all, ensemble& servers) {
    all.disturb(true);
    const auto victim = servers.leader();
    servers.kill(victim);
    servers.wait_until_serving();
    servers.start(victim);
    servers.wait_until_serving();
    all.disturb(false);
}

findings run_kind(const interop_options& how, const peer_kind& kind, const peer_programs& programs,
                  ensemble& servers) {
    contest all{how, kind, programs, servers.connect_string(),
                "/interop/" + std::string{kind.name}};
    const auto crashes = kind.excludes ? how.leader_crashes : 0;
    for (std::size_t k = 1; k <= crashes && !all.ended(); ++k) {
        wait_until_held(all, how.acquisitions * k / (crashes + 1));
        if (!all.ended())
            replace_leader(all, servers);
    }
    // Those that do not exclude each other meet by chance, and that ends the contest.
    wait_until_held(all, kind.excludes ? how.acquisitions : most_until_met * how.acquisitions);
    return all.finish();
}

/// Whether it was as it should be.
bool judge(const peer_kind& kind, const findings& found) {
    if (!kind.excludes) {
        const bool seen = found.overlaps > 0 && found.overlaps == found.violations.size();
        if (!seen)
            std::cerr << "interop: " << kind.name << " never held the lock beside Turnstile\n";
        return seen;
    }
    for (const auto& one : found.violations)
        std::cerr << "interop: " << kind.name << ": " << one << '\n';
    return found.violations.empty();
}

boost::json::object line_of(const peer_kind& kind, const findings& found,
                            std::chrono::duration<double> took) {
    return {{"peer", kind.name},
            {"excludes", kind.excludes},
            {"turnstile", found.turnstile},
            {"peers", found.peers},
            {"overlaps", found.overlaps},
            {"violations", found.violations.size()},
            {"peer_hangs", found.hangs},
            {"ended_releases", found.ended_releases},
            {"peer_failures", found.failures},
            {"longest_wait_ms", found.longest_wait.count()},
            {"most_passed", found.most_passed},
            {"seconds", took.count()}};
}

int run(const interop_options& how, const std::vector<std::string>& names) {
    const turnstile::test::temp_folder folder{"turnstile-interop-"};
    std::optional<ensemble> servers;
    peer_programs programs;
    boost::json::array lines;
    std::size_t bad = 0;
    std::size_t skipped = 0;
    for (const auto& name : names) {
        const auto& kind = peer_kind_of(name);
        if (const auto reason = peer_programs::missing(kind)) {
            std::cerr << "interop: " << name << " is skipped: there is no " << *reason << '\n';
            ++skipped;
            continue;
        }
        programs.prepare(kind);
        if (!servers) {
            servers.emplace(servers_of(how, folder.path()));
            turnstile::test::foreign_client{servers->connect_string()}.create("/interop");
            apply_settings(*servers, how.settings, "/interop");
        }
        const auto start = std::chrono::steady_clock::now();
        const auto found = run_kind(how, kind, programs, *servers);
        bad += judge(kind, found) ? 0 : 1;
        lines.push_back(line_of(kind, found, std::chrono::steady_clock::now() - start));
        std::cerr << "interop: " << boost::json::serialize(lines.back()) << std::endl;
    }
    const boost::json::object summary{{"settings", turnstile::test::name_of_settings(how.settings)},
                                      {"kinds", lines},
                                      {"skipped", skipped},
                                      {"failed", bad},
                                      {"leader_crashes", how.leader_crashes}};
    std::cout << boost::json::serialize(summary) << std::endl;
    return bad != 0 ? 1 : skipped != 0 ? skipped_status : 0;
}

} // namespace

int main(int argc, char** argv) {
    interop_options how;
    std::vector<std::string> names;
    CLI::App app{"Turnstile's locks beside the locks of other libraries"};
    app.add_option("--peer", names, "kinds of peers; all, unless told otherwise");
    app.add_option("--acquisitions", how.acquisitions, "by each side, of each kind")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--leader-crashes", how.leader_crashes, "of each kind")->capture_default_str();
    app.add_option("--seed", how.seed)->capture_default_str();
    std::string settings{turnstile::test::name_of_settings(how.settings)};
    app.add_option("--settings", settings, "of the servers")
        ->check(CLI::IsMember(turnstile::test::server_settings_names))
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    how.settings = turnstile::test::server_settings_called(settings);
    if (names.empty())
        for (const auto& kind : peer_kinds())
            names.emplace_back(kind.name);
    (void)std::signal(SIGPIPE, SIG_IGN); // a peer may end while it is spoken to
    try {
        return run(how, names);
    } catch (const std::exception& e) {
        std::cerr << "turnstile-interop: " << e.what() << '\n';
        return 2;
    }
}
