// SPDX-License-Identifier: BSL-1.0
#include "bare_api.hpp"
#include "peer_kind.hpp"
#include "peers.hpp"
#include "scenario_command.hpp"
#include "scenarios.hpp"
#include "suite.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

// Each function adds one command. What its options write to is kept by the functions that read it.
namespace turnstile::bench {

namespace {

scenario_command bare_client_command(CLI::App& app) {
    auto* const added = app.add_subcommand("bare-client", "the bare C client alone");
    const auto iterations = std::make_shared<std::size_t>(5000);
    added->add_option("--iterations", *iterations)->check(CLI::PositiveNumber);
    return {.options = added, .measure = [iterations](const target& server) {
                return measure_bare_client(server, *iterations);
            }};
}

/// What `uncontended` and `wakeup` take.
struct choice_options {
    lock_choice lock{};
    std::string strategy = lock.strategy;
    std::size_t permits = 10;
    std::size_t parts = 0;

    void add_to(CLI::App& command) {
        auto* const kind = command.add_option("--lock", lock.kind, "what is taken")
                               ->check(CLI::IsMember(names_of_locks()));
        command.add_option("--strategy", strategy, "how the lock is waited for")
            ->check(CLI::IsMember(names_of_strategies()))
            ->excludes(kind);
        command.add_option("--permits", permits, "of a semaphore")->check(CLI::PositiveNumber);
        command.add_option("--parts", parts, "of a multi: 1000, in wakeup 10")
            ->check(CLI::PositiveNumber);
    }
    lock_choice choice(std::size_t default_parts) const {
        if (strategy != lock.strategy)
            return choice_of_strategy(strategy);
        auto result = lock;
        if (lock.kind == "semaphore")
            result.size = permits;
        if (lock.kind == "multi")
            result.size = parts > 0 ? parts : default_parts;
        return result;
    }
};

scenario_command uncontended_command(CLI::App& app) {
    struct options {
        choice_options what{};
        std::size_t iterations = 0;
    };
    auto* const added = app.add_subcommand("uncontended", "acquire and release of a free lock");
    const auto given = std::make_shared<options>();
    given->what.add_to(*added);
    added->add_option("--iterations", given->iterations, "5000, of a multi 100")
        ->check(CLI::PositiveNumber);
    return {.options = added, .measure = [given](const target& server) {
                const auto lock = given->what.choice(1000);
                const std::size_t all = lock.kind == "multi" ? 100 : 5000;
                return measure_uncontended(server, lock,
                                           given->iterations > 0 ? given->iterations : all);
            }};
}

scenario_command wakeup_command(CLI::App& app) {
    struct options {
        choice_options what{};
        line_choice line{.waiters = 1000, .sessions = 10, .hand_offs = 0};
        bool cold = false;
        std::size_t rest_ms = 50;
        std::size_t wait_s = 0;

        lock_choice lock() const { return what.choice(10); }
    };
    auto* const added = app.add_subcommand("wakeup", "hand-off along a line of waiters");
    const auto given = std::make_shared<options>();
    given->what.add_to(*added);
    added->add_option("--waiters", given->line.waiters)->check(CLI::PositiveNumber);
    added->add_option("--sessions", given->line.sessions)->check(CLI::PositiveNumber);
    added
        ->add_option("--hand-offs", given->line.hand_offs,
                     "at least so many: a short line forms again; 1000, with --cold 400")
        ->check(CLI::PositiveNumber);
    added->add_flag("--cold", given->cold, "everybody rests before each hand-off");
    added->add_option("--rest-ms", given->rest_ms, "for so long")->check(CLI::PositiveNumber);
    added->add_option("--wait-s", given->wait_s, "the line waits for so long before it is drained");
    return {.options = added,
            .measure =
                [given](const target& server) {
                    auto line = given->line;
                    line.wait = std::chrono::seconds(given->wait_s);
                    if (given->cold)
                        line.rest = std::chrono::milliseconds(given->rest_ms);
                    if (line.hand_offs == 0)
                        line.hand_offs = given->cold ? cold_hand_offs : warm_hand_offs;
                    return measure_wakeup(server, given->lock(), line);
                },
            .check =
                [given] {
                    const auto why = why_not_measured(given->lock(), given->line.waiters);
                    if (!why.empty())
                        throw std::invalid_argument(why);
                }};
}

scenario_command throughput_command(CLI::App& app) {
    struct options {
        std::size_t locks = 1000;
        std::size_t inflight = 32;
        std::size_t pairs = 20'000;
    };
    auto* const added =
        app.add_subcommand("throughput", "acquire and release of many locks at once");
    const auto given = std::make_shared<options>();
    added->add_option("--locks", given->locks, "different ones")->check(CLI::PositiveNumber);
    added->add_option("--inflight", given->inflight, "at once")->check(CLI::PositiveNumber);
    added->add_option("--iterations", given->pairs)->check(CLI::PositiveNumber);
    return {.options = added,
            .measure =
                [given](const target& server) {
                    return measure_throughput(server, given->locks, given->inflight, given->pairs);
                },
            .check =
                [given] {
                    if (given->locks < given->inflight)
                        throw std::invalid_argument(
                            "throughput: --locks " + std::to_string(given->locks) +
                            " are fewer than --inflight " + std::to_string(given->inflight) +
                            ", so that some would wait for each other: take more locks");
                }};
}

scenario_command memory_command(CLI::App& app) {
    auto* const added = app.add_subcommand("memory", "resident bytes of a waiting coroutine");
    const auto waiters = std::make_shared<std::size_t>(8000);
    added->add_option("--waiters", *waiters)->check(CLI::PositiveNumber);
    return {.options = added,
            .measure = [waiters](const target& server) { return measure_memory(server, *waiters); },
            .warm = false};
}

scenario_command storm_command(CLI::App& app) {
    struct options {
        std::size_t waiters = 10'000;
        std::size_t sessions = 10;
    };
    auto* const added = app.add_subcommand("storm", "half of a line is cancelled at once");
    const auto given = std::make_shared<options>();
    added->add_option("--waiters", given->waiters)->check(CLI::Range(2, 1'000'000));
    added->add_option("--sessions", given->sessions)->check(CLI::PositiveNumber);
    return {.options = added, .measure = [given](const target& server) {
                return measure_storm(server, given->waiters, given->sessions);
            }};
}

scenario_command death_command(CLI::App& app) {
    struct options {
        death_choice how{};
        std::size_t timeout_ms = 4000;
    };
    auto* const added = app.add_subcommand("death", "the process that holds the lock is killed");
    const auto given = std::make_shared<options>();
    added->add_option("--iterations", given->how.rounds, "until the session expires")
        ->check(CLI::NonNegativeNumber);
    added->add_option("--guarded", given->how.guarded_rounds, "with a host guard, and of `run`")
        ->check(CLI::NonNegativeNumber);
    added->add_option("--timeout-ms", given->timeout_ms, "of the sessions")
        ->check(CLI::PositiveNumber);
    added->add_option("--command", given->how.command, "the program `turnstile`");
    return {.options = added,
            .measure =
                [given](const target& server) {
                    given->how.timeout = std::chrono::milliseconds(given->timeout_ms);
                    return measure_death(server, given->how);
                },
            .warm = false};
}

scenario_command hold_command(CLI::App& app) {
    auto* const added =
        app.add_subcommand("hold", "holds a lock until it is killed: a part of `death`");
    added->group(""); // not for people
    const auto timeout_ms = std::make_shared<std::size_t>(4000);
    const auto guard = std::make_shared<std::string>();
    added->add_option("--timeout-ms", *timeout_ms)->check(CLI::PositiveNumber);
    added->add_option("--guard", *guard);
    return {.options = added,
            .measure =
                [timeout_ms, guard](const target& server) {
                    hold_until_killed(server, std::chrono::milliseconds(*timeout_ms), *guard);
                    return rows{};
                },
            .warm = false,
            .counts = false};
}

scenario_command idle_command(CLI::App& app) {
    struct options {
        std::size_t holders = 100;
        std::size_t seconds = 20;
    };
    auto* const added = app.add_subcommand("idle", "what held locks cost the server meanwhile");
    const auto given = std::make_shared<options>();
    added->add_option("--holders", given->holders)->check(CLI::PositiveNumber);
    added->add_option("--seconds", given->seconds)->check(CLI::PositiveNumber);
    return {.options = added,
            .measure =
                [given](const target& server) {
                    return measure_idle(server, given->holders,
                                        std::chrono::seconds(given->seconds));
                },
            .warm = false};
}

scenario_command suite_command(CLI::App& app) {
    auto* const added = app.add_subcommand("suite", "all of them as one table");
    const auto given = std::make_shared<suite_choice>();
    added->add_flag("--quick", given->quick, "the most important rows, with fewer iterations");
    added->add_option("--iterations", given->iterations)->check(CLI::PositiveNumber);
    added->add_option("--longest", given->longest, "leave lines of more waiters out")
        ->check(CLI::PositiveNumber);
    const auto failed = std::make_shared<std::size_t>(0);
    return {.options = added,
            .measure = [given, failed](
                           const target& server) { return measure_suite(server, *given, *failed); },
            .end =
                [failed] {
                    if (*failed > 0)
                        throw std::runtime_error("steps of the suite that failed, see above: " +
                                                 std::to_string(*failed));
                }};
}

scenario_command leaders_command(CLI::App& app) {
    auto* const added = app.add_subcommand("leaders", "the process that leads is told to stop");
    const auto rounds = std::make_shared<std::size_t>(200);
    added->add_option("--iterations", *rounds)->check(CLI::PositiveNumber);
    return {.options = added,
            .measure = [rounds](const target& server) { return measure_leaders(server, *rounds); }};
}

scenario_command guarded_command(CLI::App& app) {
    auto* const added = app.add_subcommand("guarded", "a write that only the holder can make");
    const auto iterations = std::make_shared<std::size_t>(5000);
    added->add_option("--iterations", *iterations)->check(CLI::PositiveNumber);
    return {.options = added, .measure = [iterations](const target& server) {
                return measure_guarded(server, *iterations);
            }};
}

scenario_command observe_command(CLI::App& app) {
    struct options {
        std::size_t observers = 1000;
        std::size_t sessions = 10;
        std::size_t rounds = 50;
    };
    auto* const added = app.add_subcommand("observe", "many observers of one election");
    const auto given = std::make_shared<options>();
    added->add_option("--observers", given->observers)->check(CLI::PositiveNumber);
    added->add_option("--sessions", given->sessions)->check(CLI::PositiveNumber);
    added->add_option("--iterations", given->rounds)->check(CLI::PositiveNumber);
    return {.options = added, .measure = [given](const target& server) {
                return measure_observe(server, given->observers, given->sessions, given->rounds);
            }};
}

scenario_command yield_command(CLI::App& app) {
    auto* const added = app.add_subcommand("yield", "the holder is asked to let go");
    const auto iterations = std::make_shared<std::size_t>(2000);
    added->add_option("--iterations", *iterations)->check(CLI::PositiveNumber);
    return {.options = added, .measure = [iterations](const target& server) {
                return measure_yield(server, *iterations);
            }};
}

/// A process of its own, which `leaders` tells to stop.
scenario_command lead_command(CLI::App& app) {
    auto* const added =
        app.add_subcommand("lead", "leads until it is told to stop: a part of `leaders`");
    added->group(""); // not for people
    return {.options = added,
            .measure =
                [](const target& server) {
                    lead_until_told(server);
                    return rows{};
                },
            .warm = false,
            .counts = false,
            .print = [](const rows&) {}};
}

scenario_command pairs_command(CLI::App& app) {
    struct options {
        std::size_t iterations = 5000;
        bool bare_client = false;
        bool redirected = false;
    };
    auto* const added =
        app.add_subcommand("pairs", "acquire and release, untimed: for a tool to count");
    const auto given = std::make_shared<options>();
    added->add_option("--iterations", given->iterations)->check(CLI::PositiveNumber);
    added->add_flag("--bare-client", given->bare_client,
                    "the bare C client's create and multi instead");
    added->add_flag("--redirected", given->redirected, "the same with its socket calls redirected");
    return {.options = added,
            .measure =
                [given](const target& server) {
                    if (given->bare_client || given->redirected)
                        run_limit_pairs(server, given->iterations,
                                        given->redirected ? redirected_api : plain_api);
                    else
                        run_pairs(server, given->iterations);
                    return rows{};
                },
            .warm = false,
            .counts = false,
            .print = [](const rows&) {}};
}

scenario_command cost_command(CLI::App& app) {
    struct options {
        std::size_t pairs = 2000;
        std::size_t repeats = 5;
    };
    auto* const added =
        app.add_subcommand("cost", "instructions, allocations and system calls of a pair");
    const auto given = std::make_shared<options>();
    added->add_option("--iterations", given->pairs)->check(CLI::PositiveNumber);
    added->add_option("--repeats", given->repeats)->check(CLI::PositiveNumber);
    return {.options = added,
            .measure =
                [given](const target& server) {
                    return measure_cost(server, given->pairs, given->repeats);
                },
            .warm = false,
            .counts = false};
}

scenario_command peers_command(CLI::App& app, const std::size_t& warm_ups) {
    auto* const added = app.add_subcommand("peers", "beside the locks of other libraries");
    const auto given = std::make_shared<peers_choice>();
    added->add_option("--waiters", given->waiters, "several lines: 10 100 1000")
        ->check(CLI::PositiveNumber);
    added->add_option("--sessions", given->sessions)->check(CLI::PositiveNumber);
    added->add_option("--only", given->only, "these peers")->check(CLI::IsMember(names_of_peers()));
    added->add_option("--rounds", given->rounds)->check(CLI::PositiveNumber);
    added->add_option("--iterations", given->pairs, "pairs of a round")->check(CLI::PositiveNumber);
    added->add_option("--hand-offs", given->hand_offs, "of a round, at least")
        ->check(CLI::PositiveNumber);
    return {.options = added,
            .measure =
                [given, &warm_ups](const target& server) {
                    given->warm_up = warm_ups;
                    return measure_peers(server, *given);
                },
            .print = print_peers};
}

} // namespace

std::vector<scenario_command> scenario_commands(CLI::App& app, const std::size_t& warm_ups) {
    return {bare_client_command(app), uncontended_command(app), wakeup_command(app),
            storm_command(app),       throughput_command(app),  memory_command(app),
            death_command(app),       idle_command(app),        peers_command(app, warm_ups),
            suite_command(app),       cost_command(app),        pairs_command(app),
            hold_command(app),        leaders_command(app),     lead_command(app),
            guarded_command(app),     observe_command(app),     yield_command(app)};
}

} // namespace turnstile::bench
