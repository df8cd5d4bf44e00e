// SPDX-License-Identifier: BSL-1.0
// turnstile-survive: locks at the default session timeout. Sessions hold one each while leaders are
// killed, servers restarted in turn and connections cut for a moment: none may be lost. And
// processes that hold a lock are killed: the next in line must have it within the session timeout
// and two ticks. A kill, a restart or a cut that cost no session its connection proves
// nothing, and fails the run.
#include "connection_cuts.hpp"
#include "heirs.hpp"
#include "holders.hpp"
#include "support/pch.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <random>

namespace {

using namespace turnstile::survive;
using turnstile::test::ensemble;

constexpr std::size_t killed_at_once = 12;

double in_ms(std::chrono::nanoseconds duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

ensemble::options servers_of(const survive_options& how) {
    ensemble::options result;
    result.server.tick_ms = static_cast<int>(how.tick.count());
    result.server.heap = "192m";
    result.server.start_limit = std::chrono::seconds{60};
    return result;
}

/// What is done to holders, so many times.
struct harm {
    const char* name; ///< of many of them
    std::size_t times;
    std::function<void()> once;
};

findings suffer(const survive_options& how, const std::string& servers,
                const std::vector<harm>& harms) {
    holders all{how, servers};
    all.wait_until_all_hold(std::chrono::seconds{60});
    std::size_t idle = 0;
    for (const auto& [name, times, once] : harms) {
        for (std::size_t done = 1; done <= times; ++done) {
            const auto before = all.disconnections();
            once();
            if (!all.wait_for_disconnection(before, std::chrono::seconds{5})) {
                ++idle;
                std::cerr << "survive: number " << done << " of " << times << ' ' << name
                          << " cost no session its connection, and proves nothing" << std::endl;
            }
            if (done % 10 == 0 || done == times) {
                std::cerr << "survive: " << done << " of " << times << ' ' << name << ", "
                          << all.lost() << " locks lost" << std::endl;
            }
        }
    }
    all.wait_until_all_hold(std::chrono::seconds{60});
    auto result = all.finish();
    result.idle_harms = idle;
    return result;
}

/// SIGKILL; started again when the others have elected another, and whole again on return.
void crash_leader(ensemble& servers, std::mt19937_64& engine) {
    const auto victim = servers.leader();
    // justified: so that the kills fall on all phases of the sessions' beats
    std::this_thread::sleep_for(std::chrono::milliseconds{engine() % 1'000});
    servers.kill(victim);
    servers.wait_until_serving();
    servers.start(victim);
    servers.wait_until_serving();
}

/// Each member stopped in an orderly way and started again, the next when all serve.
void restart_all(ensemble& servers) {
    for (std::size_t i = 0; i < servers.size(); ++i) {
        servers.server(i).stop();
        servers.start(i);
        servers.wait_until_serving();
    }
}

findings lose_servers(const survive_options& how, ensemble& servers) {
    std::mt19937_64 engine{1};
    return suffer(how, servers.connect_string(),
                  {{"leader crashes", how.leader_crashes, [&] { crash_leader(servers, engine); }},
                   {"rolling restarts", how.rolling_restarts, [&] { restart_all(servers); }}});
}

findings lose_connections(const survive_options& how, ensemble& servers) {
    connection_cuts cuts{servers};
    return suffer(how, cuts.connect_string(), {{"cuts", how.cuts, [&] { cuts.cut(); }}});
}

std::chrono::nanoseconds worst_inheritance(const survive_options& how, ensemble& servers,
                                           const std::string& program) {
    std::chrono::nanoseconds worst{0};
    std::size_t round = 0;
    for (std::size_t done = 0; done < how.holder_crashes; ++round) {
        const auto count = std::min(killed_at_once, how.holder_crashes - done);
        for (const auto took : kill_holders(how, program, servers, round, count))
            worst = std::max(worst, took);
        done += count;
        std::cerr << "survive: " << done << " holders killed, the next in line waited "
                  << in_ms(worst) << " ms at most" << std::endl;
    }
    return worst;
}

int run(const survive_options& how, const std::string& program) {
    ensemble servers{servers_of(how)};
    const auto worst = worst_inheritance(how, servers, program);
    const auto bar = how.timeout + 2 * how.tick;
    auto found = lose_servers(how, servers);
    found += lose_connections(how, servers);
    const std::size_t violations =
        found.lost + found.broken + found.idle_harms + (worst > bar ? 1 : 0);
    const boost::json::object line{{"leader_crashes", how.leader_crashes},
                                   {"rolling_restarts", how.rolling_restarts},
                                   {"cuts", how.cuts},
                                   {"holders", how.holders},
                                   {"timeout_ms", how.timeout.count()},
                                   {"tick_ms", how.tick.count()},
                                   {"disconnections", found.disconnections},
                                   {"idle_harms", found.idle_harms},
                                   {"at_risk", found.at_risk},
                                   {"lost", found.lost},
                                   {"broken", found.broken},
                                   {"shortest_lease_ms", in_ms(found.shortest_lease)},
                                   {"holder_crashes", how.holder_crashes},
                                   {"worst_next_grant_ms", in_ms(worst)},
                                   {"next_grant_bar_ms", bar.count()},
                                   {"violations", violations}};
    std::cout << boost::json::serialize(line) << std::endl;
    return violations == 0 ? 0 : 1;
}

/// What the processes do that are to be killed.
int hold(const survive_options& how, const std::string& path, const std::string& servers) {
    boost::asio::io_context context{1};
    turnstile::session s{context, session_for(how, servers)};
    boost::asio::co_spawn(context, hold_until_killed(s, path), [](std::exception_ptr failure) {
        if (failure)
            std::rethrow_exception(failure);
    });
    context.run();
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    survive_options how;
    std::string path;
    std::string servers;
    auto timeout_ms = how.timeout.count();
    auto tick_ms = how.tick.count();
    CLI::App app{"Holds locks while servers, and then holders, are killed"};
    app.add_option("--leader-crashes", how.leader_crashes)->capture_default_str();
    app.add_option("--rolling-restarts", how.rolling_restarts)->capture_default_str();
    app.add_option("--cuts", how.cuts, "short ones, of connections")->capture_default_str();
    app.add_option("--holder-crashes", how.holder_crashes)->capture_default_str();
    app.add_option("--holders", how.holders, "sessions with a lock each")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--timeout-ms", timeout_ms, "of the sessions")->capture_default_str();
    app.add_option("--tick-ms", tick_ms, "of the servers")->capture_default_str();
    auto* const child = app.add_option("--hold", path, "only hold this lock, until killed");
    app.add_option("--servers", servers, "for --hold")->needs(child);
    CLI11_PARSE(app, argc, argv);
    how.timeout = std::chrono::milliseconds{timeout_ms};
    how.tick = std::chrono::milliseconds{tick_ms};
    if (!*child && how.leader_crashes + how.rolling_restarts + how.cuts + how.holder_crashes == 0) {
        std::cerr << "turnstile-survive: nothing is to be killed, restarted or cut\n";
        return 2;
    }
    try {
        return *child ? hold(how, path, servers)
                      : run(how, std::filesystem::read_symlink("/proc/self/exe").string());
    } catch (const std::exception& e) {
        std::cerr << "turnstile-survive: " << e.what() << '\n';
        return 2;
    }
}
