// SPDX-License-Identifier: BSL-1.0
#include "chaos_run.hpp"

#include "connection_faults.hpp"
#include "guard_process.hpp"
#include "judgement.hpp"
#include "network.hpp"
#include "outside_hand.hpp"
#include "process_faults.hpp"
#include "server_faults.hpp"
#include "store_thread.hpp"

#include "support/ensemble.hpp"
#include "support/frame_proxy.hpp"
#include "support/tls_front.hpp"
#include "support/wire_notes.hpp"

#include <unistd.h>

#include <atomic>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace turnstile::chaos {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int sync_limit_ticks = 5; // as in the configuration that ZooKeeper ships

std::atomic<run_clock*> clock_of_the_run = nullptr;

test::ensemble::options servers_of(const run_options& how, const network* net) {
    test::ensemble::options result;
    result.size = how.servers;
    result.sync_limit_ticks = sync_limit_ticks;
    result.server.tick_ms = static_cast<int>(how.tick.count());
    result.server.heap = "192m";
    result.server.start_limit = std::chrono::seconds{60};
    result.server.system_properties = {
        "zookeeper.preAllocSize=1024", // KB, for each restart
        // The log is flushed, and acknowledged, when nothing more has come for 10 ms: 3.8.0 loses
        // acknowledged transactions otherwise (docs/internals/results.md).
        "zookeeper.flushDelay=10000", "zookeeper.maxWriteQueuePollTime=10",
        "org.slf4j.simpleLogger.log.org.apache.zookeeper.server.quorum=info"};
    for (std::size_t i = 0; i < how.servers; ++i) {
        test::ensemble::place place;
        place.data_folder = how.folder / ("server-" + std::to_string(i + 1));
        if (net != nullptr) {
            place.argv_prefix = net->argv_prefix(i);
            place.client_host = net->client_host(i);
            place.peer_host = net->peer_host(i);
        }
        result.places.push_back(std::move(place));
    }
    test::use_settings(result, how.settings, how.folder);
    return result;
}

std::vector<worker_process::options> workers_of(const run_options& how, const fs::path& program,
                                                const std::string& servers, std::uint16_t store) {
    test::dice draws{how.seed, "workers"};
    std::vector<worker_process::options> result;
    for (std::size_t i = 0; i < how.workers; ++i) {
        const auto share = how.contenders / how.workers + (i < how.contenders % how.workers);
        const auto name = "worker-" + std::to_string(i + 1);
        result.push_back({.name = name,
                          .argv = {program.string(),
                                   "--servers",
                                   servers,
                                   "--folder",
                                   how.folder.string(),
                                   "--store",
                                   std::to_string(store),
                                   "--contenders",
                                   std::to_string(share),
                                   "--first",
                                   std::to_string(i * how.contenders / how.workers),
                                   "--sessions",
                                   std::to_string(1 + i % 2),
                                   "--locks",
                                   std::to_string(how.locks.size()),
                                   "--only",
                                   std::string{name_of(how.locks.mix)},
                                   "--seed",
                                   std::to_string(draws.number()),
                                   "--timeout-ms",
                                   std::to_string(how.session_timeout.count()),
                                   "--tick-ms",
                                   std::to_string(how.tick.count())},
                          .output_file = how.folder / (name + ".log")});
        if (!how.guard.empty()) {
            auto& argv = result.back().argv;
            argv.insert(argv.end(), {"--guard", guard_process::socket_in(how.folder)});
        }
    }
    for (std::size_t i = 0; i < 2 && how.locks.has(lock_sort::election); ++i) {
        const auto name = "observer-" + std::to_string(i + 1);
        result.push_back(
            {.name = name,
             .argv = {program.string(), "--servers", servers, "--folder", how.folder.string(),
                      "--contenders", "0", "--observes", "--locks",
                      std::to_string(how.locks.size()), "--only",
                      std::string{name_of(how.locks.mix)}, "--seed", std::to_string(draws.number()),
                      "--timeout-ms", std::to_string(how.session_timeout.count()), "--tick-ms",
                      std::to_string(how.tick.count())},
             .output_file = how.folder / (name + ".log"),
             .observes = true});
    }
    return result;
}

void count_grant(const std::string& line, run_result& result) {
    const auto has = [&](const std::string& text) { return line.find(text) != std::string::npos; };
    const auto is = [&](const char* word) { return has(std::string{"\"kind\":\""} + word + '"'); };
    ++result.acquisitions;
    const bool several = has("\"several\":true");
    result.several += several ? 1 : 0;
    result.leases += several && is(word_of(lock_sort::semaphore, false)) ? 1 : 0;
    for (std::size_t i = 0; i < lock_sort_names.size(); ++i) {
        const auto sort = static_cast<lock_sort>(i);
        const bool reads = sort == lock_sort::shared && is(word_of(sort, true));
        result.by_sort[i] += reads || is(word_of(sort, false)) ? 1 : 0;
        result.readers += reads ? 1 : 0;
    }
}

void count_grants(const fs::path& history, run_result& result) {
    for (const auto& entry : fs::directory_iterator{history}) {
        std::ifstream in{entry.path()};
        for (std::string line; std::getline(in, line);) {
            const auto is = [&](const char* kind) {
                return line.find(std::string{"\"k\":\""} + kind + '"') != std::string::npos;
            };
            if (is("grant")) {
                count_grant(line, result);
            } else if (is("yielded")) {
                ++result.yields;
            } else if (line.find(" Success\"") != std::string::npos) {
                result.downgrades += is("downgraded") ? 1 : 0;
                result.upgrades += is("upgraded") ? 1 : 0;
                result.increments += is("counted") ? 1 : 0;
            }
        }
    }
}

std::uint64_t count_notifications(const connection_faults::proxies& proxies) {
    std::uint64_t result = 0;
    for (const auto& proxy : proxies)
        result += proxy->stats().count(test::direction::to_client, test::op::watch_event);
    return result;
}

/// A lane of the schedule on a thread of its own; what it throws is thrown by join().
class lane {
public:
    explicit lane(std::function<void()> work)
        : done_{std::async(std::launch::async, std::move(work))} {}
    void join() { done_.get(); }

private:
    std::future<void> done_;
};

} // namespace

void interrupt_chaos() noexcept {
    if (auto* clock = clock_of_the_run.load())
        clock->interrupt();
}

run_result run_chaos(const run_options& how, const fs::path& worker) {
    const auto history = how.folder / "history";
    std::optional<network> net;
    if (how.namespaces)
        net.emplace(how.servers);
    schedule_book book{history};
    book.settings(how);

    test::ensemble servers{servers_of(how, net ? &*net : nullptr)};
    test::apply_settings(servers, how.settings, "/chaos");
    test::session_book sessions;
    std::deque<test::wire_notes> notes; // one for each proxy
    connection_faults::proxies proxies;
    const auto certificates = how.tls ? std::make_unique<test::certificates>() : nullptr;
    std::deque<test::tls_front> fronts; // one for each proxy
    std::string addresses;
    for (std::size_t i = 0; i < how.servers; ++i) {
        auto& server = servers.server(i);
        auto& noted = notes.emplace_back(history, "proxy-" + std::to_string(i + 1));
        proxies.push_back(
            std::make_unique<test::frame_proxy>(server.host(), server.port(), &sessions, &noted));
        if (how.tls)
            fronts.emplace_back(proxies.back()->port(), *certificates);
        addresses +=
            (i == 0 ? "" : ",") + (how.tls ? fronts.back().address() : proxies.back()->address());
    }
    store_thread store{history};

    run_clock clock{std::chrono::duration_cast<run_clock::clock::duration>(
        std::chrono::duration<double, std::ratio<60>>{how.minutes})};
    clock_of_the_run = &clock;
    run_result result;
    result.namespaces = how.namespaces;
    result.least = least_of(how);

    server_faults to_servers{servers, net ? &*net : nullptr, book,
                             clock,   how.session_timeout,   test::dice{how.seed, "servers"}};
    connection_faults to_connections{proxies, book, clock, test::dice{how.seed, "connections"},
                                     how.lose_one_in};
    outside_hand outside{
        servers.addresses(), how.locks, sessions, book, clock, test::dice{how.seed, "outside"}};

    std::promise<void> healed;
    auto all_healed = healed.get_future();
    lane processes{[&] {
        std::optional<guard_process> guard;
        if (!how.guard.empty())
            guard.emplace(how.guard, how.folder, book, test::dice{how.seed, "guard"}, [&] {
                const auto newest = sessions.newest(1);
                return test::prey{.servers = addresses,
                                  .session = newest.empty() ? 0 : newest.front().id,
                                  .process = ::getpid()};
            });
        auto programs = workers_of(how, worker, addresses, store.port());
        for (auto& each : programs) {
            if (certificates)
                each.argv.insert(each.argv.end(), {"--tls-ca", certificates->file("ca")});
            each.argv.insert(each.argv.end(),
                             {"--settings", std::string{name_of_settings(how.settings)}});
        }
        process_faults workers{std::move(programs),
                               book,
                               clock,
                               how.session_timeout,
                               test::dice{how.seed, "processes"},
                               guard ? &*guard : nullptr};
        how.quiet ? (void)clock.wait(std::chrono::hours{24}) : workers.run();
        workers.heal();
        all_healed.get();
        result.outstanding = workers.drain(how.drain_limit);
        try {
            outside.lead();
            workers.drain_observers(seconds{30}, [&] { outside.go_on_leading(milliseconds{50}); });
            outside.resign();
        } catch (const std::exception& e) {
            result.failures.push_back(e.what());
        }
        result.guard_ended = guard ? guard->ended() : 0;
        result.hostile_ends = guard ? guard->hostile_ends() : 0;
    }};
    if (how.quiet) {
        clock.wait(std::chrono::hours{24});
    } else {
        lane connections{[&] { to_connections.run(); }};
        lane hand{[&] { outside.run(); }};
        const auto end = [&](auto part) { // in any case: the workers wait for what comes after it
            try {
                part();
            } catch (const std::exception& e) {
                result.failures.push_back(e.what());
                clock.interrupt();
            }
        };
        end([&] { to_servers.run(); });
        end([&] { connections.join(); });
        end([&] { hand.join(); });
    }
    try {
        to_connections.heal();
        to_servers.heal();
    } catch (const std::exception& e) { // the workers must be told all the same
        result.failures.push_back(e.what());
    }
    book.heal();
    healed.set_value();
    processes.join();
    book.served(result.outstanding);

    // Waits until sessions expire: those of killed workers, and those whose close was lost.
    // justified: nobody is told when a session ends that no client has any more
    std::this_thread::sleep_for(how.session_timeout + 3 * how.tick);
    outside.read_counters();
    result.left = outside.list_what_is_left();
    for (const auto& proxy : proxies)
        proxy->cut_all(); // the workers are gone, so nothing arrives any more
    book.counters(count_notifications(proxies));
    for (auto& noted : notes)
        noted.flush();
    clock_of_the_run = nullptr;
    result.stale_refused = store.refused();
    for (std::size_t i = 0; i < how.servers; ++i)
        servers.server(i).stop();
    count_grants(history, result);
    result.faults = book.faults();
    result.connection_faults = book.connection_faults();
    result.leader_crashes = book.leader_crashes();
    result.process_faults = book.process_faults();
    result.kinds = book.tally();
    judge(how, result);
    for (const auto& failure : result.failures)
        book.failure(failure);
    book.end();
    return result;
}

} // namespace turnstile::chaos
