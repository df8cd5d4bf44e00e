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

constexpr int sync_limit_ticks = 5;                 // as in the configuration that ZooKeeper ships
constexpr std::chrono::hours for_the_whole_run{24}; // the clock of the run ends each wait

std::atomic<run_clock*> clock_of_the_run = nullptr; // for the signal handler; null between runs

test::ensemble::options ensemble_options(const run_options& how, const network* net) {
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

/// The programs with contenders, and with elections two that only observe. `tls` is null if they
/// speak none.
std::vector<worker_process::options> workers_of(const run_options& how, const fs::path& program,
                                                const std::string& servers, std::uint16_t store,
                                                const test::certificates* tls) {
    std::vector<std::string> common{program.string(),
                                    "--servers",
                                    servers,
                                    "--folder",
                                    how.folder.string(),
                                    "--locks",
                                    std::to_string(how.locks.size()),
                                    "--only",
                                    std::string{name_of(how.locks.mix)},
                                    "--timeout-ms",
                                    std::to_string(how.session_timeout.count()),
                                    "--tick-ms",
                                    std::to_string(how.tick.count()),
                                    "--settings",
                                    std::string{name_of_settings(how.settings)}};
    if (tls != nullptr)
        common.insert(common.end(), {"--tls-ca", tls->file("ca")});
    test::dice draws{how.seed, "workers"};
    std::vector<worker_process::options> result;
    const auto add = [&](const std::string& name, bool observes,
                         const std::vector<std::string>& own) {
        auto argv = common;
        argv.insert(argv.end(), {"--seed", std::to_string(draws.number())});
        argv.insert(argv.end(), own.begin(), own.end());
        result.push_back({.name = name,
                          .argv = std::move(argv),
                          .output_file = how.folder / (name + ".log"),
                          .observes = observes});
    };
    for (std::size_t i = 0; i < how.workers; ++i) {
        const auto share = how.contenders / how.workers + (i < how.contenders % how.workers);
        std::vector<std::string> own{
            "--store",      std::to_string(store),
            "--contenders", std::to_string(share),
            "--first",      std::to_string(i * how.contenders / how.workers),
            "--sessions",   std::to_string(1 + i % 2)};
        if (!how.guard.empty())
            own.insert(own.end(), {"--guard", guard_process::socket_in(how.folder)});
        add("worker-" + std::to_string(i + 1), false, own);
    }
    for (std::size_t i = 0; i < 2 && how.locks.has(lock_sort::election); ++i)
        add("observer-" + std::to_string(i + 1), true, {"--contenders", "0", "--observes"});
    return result;
}

/// Counts one line "grant" of a history.
void count_grant(const std::string& line, run_result& result) {
    const auto has = [&](const std::string& text) { return line.find(text) != std::string::npos; };
    const auto is_of = [&](const char* word) {
        return has(std::string{"\"kind\":\""} + word + '"');
    };
    ++result.acquisitions;
    const bool several = has("\"several\":true");
    result.several += several ? 1 : 0;
    result.leases += several && is_of(word_of(lock_sort::semaphore, false)) ? 1 : 0;
    for (std::size_t i = 0; i < lock_sort_names.size(); ++i) {
        const auto sort = static_cast<lock_sort>(i);
        const bool reads = sort == lock_sort::shared && is_of(word_of(sort, true));
        result.by_sort[i] += reads || is_of(word_of(sort, false)) ? 1 : 0;
        result.readers += reads ? 1 : 0;
    }
}

/// Counts what the workers were granted, by the text of their histories: it is not parsed.
void count_history(const fs::path& history, run_result& result) {
    for (const auto& entry : fs::directory_iterator{history}) {
        std::ifstream in{entry.path()};
        for (std::string line; std::getline(in, line);) {
            const auto is_line = [&](const char* kind) {
                return line.find(std::string{"\"k\":\""} + kind + '"') != std::string::npos;
            };
            if (is_line("grant")) {
                count_grant(line, result);
            } else if (is_line("yielded")) {
                ++result.yields;
            } else if (line.find(" Success\"") != std::string::npos) { // the text of its result
                result.downgrades += is_line("downgraded") ? 1 : 0;
                result.upgrades += is_line("upgraded") ? 1 : 0;
                result.increments += is_line("counted") ? 1 : 0;
            }
        }
    }
}

void copy_counts(const schedule_book& book, run_result& result) {
    result.faults = book.faults();
    result.connection_faults = book.connection_faults();
    result.leader_crashes = book.leader_crashes();
    result.process_faults = book.process_faults();
    result.kinds = book.tally();
}

/// The way from the workers to the servers: a proxy before each server, and with TLS a front before
/// each proxy.
struct entrances {
    entrances(test::ensemble& servers, const fs::path& history, test::session_book& sessions,
              const test::certificates* tls) {
        for (std::size_t i = 0; i < servers.size(); ++i) {
            auto& server = servers.server(i);
            auto& noted = notes.emplace_back(history, "proxy-" + std::to_string(i + 1));
            proxies.push_back(std::make_unique<test::frame_proxy>(server.host(), server.port(),
                                                                  &sessions, &noted));
            if (tls != nullptr)
                fronts.emplace_back(proxies.back()->port(), *tls);
            addresses += (i == 0 ? "" : ",") +
                         (tls != nullptr ? fronts.back().address() : proxies.back()->address());
        }
    }
    [[nodiscard]] std::uint64_t count_notifications() const {
        std::uint64_t result = 0;
        for (const auto& proxy : proxies)
            result += proxy->stats().count(test::direction::to_client, test::op::watch_event);
        return result;
    }

    std::deque<test::wire_notes> notes; // one for each proxy
    connection_faults::proxies proxies;
    std::deque<test::tls_front> fronts; // one for each proxy, or none
    std::string addresses;              // for the workers: joined by commas
};

/// While it exists, interrupt_chaos() ends the run of this clock.
struct clock_for_signals {
    explicit clock_for_signals(run_clock& clock) { clock_of_the_run = &clock; }
    ~clock_for_signals() { clock_of_the_run = nullptr; }
    clock_for_signals(const clock_for_signals&) = delete;
    clock_for_signals& operator=(const clock_for_signals&) = delete;
};

/// A lane of the schedule on a thread of its own. join() throws what the lane has thrown.
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

    test::ensemble servers{ensemble_options(how, net ? &*net : nullptr)};
    test::apply_settings(servers, how.settings, "/chaos");
    test::session_book sessions;
    const auto certificates = how.tls ? std::make_unique<test::certificates>() : nullptr;
    entrances doors{servers, history, sessions, certificates.get()};
    store_thread store{history};

    run_clock clock{std::chrono::duration_cast<run_clock::clock::duration>(
        std::chrono::duration<double, std::ratio<60>>{how.minutes})};
    const clock_for_signals interruptible{clock};
    run_result result;
    result.namespaces = how.namespaces;
    result.least_acquisitions = least_acquisitions_of(how);

    server_faults to_servers{servers, net ? &*net : nullptr, book,
                             clock,   how.session_timeout,   test::dice{how.seed, "servers"}};
    connection_faults to_connections{doors.proxies, book, clock,
                                     test::dice{how.seed, "connections"}, how.lose_one_in};
    outside_hand outside{
        servers.addresses(), how.locks, sessions, book, clock, test::dice{how.seed, "outside"}};

    // Workers are drained once servers and connections are healed: else some would not be served.
    std::promise<void> healed;
    auto all_healed = healed.get_future();
    lane processes{[&] {
        std::optional<guard_process> guard;
        if (!how.guard.empty())
            guard.emplace(how.guard, how.folder, book, test::dice{how.seed, "guard"}, [&] {
                const auto newest = sessions.newest(1);
                return test::prey{.servers = doors.addresses,
                                  .session = newest.empty() ? 0 : newest.front().id,
                                  .process = ::getpid()};
            });
        process_faults workers{
            workers_of(how, worker, doors.addresses, store.port(), certificates.get()),
            book,
            clock,
            how.session_timeout,
            test::dice{how.seed, "processes"},
            guard ? &*guard : nullptr};
        if (how.quiet)
            clock.wait(for_the_whole_run);
        else
            workers.run();
        workers.heal();
        all_healed.get();
        result.not_served = workers.drain(how.drain_limit);
        try {
            outside.lead();
            workers.drain_observers(seconds{30}, [&] { outside.keep_leading(milliseconds{50}); });
            outside.resign();
        } catch (const std::exception& e) {
            result.failures.push_back(e.what());
        }
        result.guard_ended = guard ? guard->ended() : 0;
        result.hostile_ends = guard ? guard->hostile_ends() : 0;
    }};
    if (how.quiet) {
        clock.wait(for_the_whole_run);
    } else {
        lane connections{[&] { to_connections.run(); }};
        lane hand{[&] { outside.run(); }};
        // A lane that fails ends the faults, and not this function: the workers wait for `healed`.
        const auto complete = [&](auto lane_work) {
            try {
                lane_work();
            } catch (const std::exception& e) {
                result.failures.push_back(e.what());
                clock.interrupt();
            }
        };
        complete([&] { to_servers.run(); });
        complete([&] { connections.join(); });
        complete([&] { hand.join(); });
    }
    try {
        to_connections.heal();
        to_servers.heal();
        book.heal();
    } catch (const std::exception& e) { // the workers must be told all the same
        result.failures.push_back(e.what());
    }
    healed.set_value();
    processes.join();
    book.served(result.not_served);

    // The sessions of killed workers expire, and so do those whose close was lost.
    // justified: nobody is told when a session ends that no client has any more
    std::this_thread::sleep_for(how.session_timeout + 3 * how.tick);
    outside.read_counters();
    result.tickets_left = outside.list_tickets_left();
    for (const auto& proxy : doors.proxies)
        proxy->cut_all(); // the workers are gone, so nothing arrives any more
    book.counters(doors.count_notifications());
    for (auto& noted : doors.notes)
        noted.flush();
    result.stale_refused = store.refused();
    for (std::size_t i = 0; i < how.servers; ++i)
        servers.server(i).stop();
    count_history(history, result);
    copy_counts(book, result);
    judge(how, result);
    for (const auto& failure : result.failures)
        book.failure(failure);
    book.end();
    return result;
}

} // namespace turnstile::chaos
