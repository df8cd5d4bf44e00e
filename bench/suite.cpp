// SPDX-License-Identifier: BSL-1.0
#include "suite.hpp"

#include "progress.hpp"
#include "scenarios.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::bench {

namespace {

/// What is measured next, and how long it takes on two cores of 2026. Only the ratio between the
/// steps matters, for the time that is left.
struct step {
    std::string name;
    double seconds = 0;
    std::function<rows()> measure;
};

class suite {
public:
    suite(const target& server, const suite_choice& choice)
        : server_(server),
          choice_(choice),
          iterations_(choice.iterations > 0 ? choice.iterations : (choice.quick ? 2000 : 20'000)) {
        // First: memory that others have given back would hide what a line takes.
        const auto waiting = std::clamp<std::size_t>(choice.longest, 500, 8000);
        add("memory", 6, [=, this] { return measure_memory(server_, waiting); });
        add_pairs();
        add_lines();
        add_strategies();
        add_kinds();
        add_rest();
    }

    rows run(std::size_t& failed) {
        rows result;
        double all = 0;
        for (const auto& each : steps_)
            all += each.seconds;
        const auto start = clock::now();
        double done = 0;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const auto& now = steps_[i];
            shown_.step(fmt::format("{} of {}, {}{}", i + 1, steps_.size(), now.name,
                                    time_left(start, done, all)));
            try {
                auto measured = now.measure();
                result.insert(result.end(), std::make_move_iterator(measured.begin()),
                              std::make_move_iterator(measured.end()));
            } catch (const std::exception& e) {
                shown_.clear();
                fmt::print(stderr, "turnstile-bench: left out: {}: {}\n", now.name, e.what());
                ++failed;
            }
            done += now.seconds;
        }
        return result;
    }

private:
    /// From how fast the steps before were.
    static std::string time_left(clock::time_point start, double done, double all) {
        if (done < all / 20)
            return {};
        const auto taken = std::chrono::duration<double>(clock::now() - start).count();
        const auto left = taken / done * (all - done);
        return left < 90 ? fmt::format("; {:.0f} s left", left)
                         : fmt::format("; {:.0f} min left", left / 60);
    }

    void add(std::string name, double seconds, std::function<rows()> measure) {
        steps_.push_back({std::move(name), seconds, std::move(measure)});
    }

    void add_pairs() {
        const auto thousands = static_cast<double>(iterations_) / 1000;
        add("bare-client", thousands * 1.5, [this] {
            return measure_bare_client(server_, std::max<std::size_t>(1, iterations_ / 2));
        });
        add("uncontended", thousands * 1.5,
            [this] { return measure_uncontended(server_, {}, iterations_); });
        for (const std::size_t inflight : {1, 8, 32, 128})
            if (!choice_.quick || inflight == 32)
                add(fmt::format("throughput, {} at once", inflight), inflight == 1 ? 20 : 8,
                    [=, this] { return measure_throughput(server_, 1000, inflight, iterations_); });
    }

    /// Of a mutex, unless the line is too long.
    void add_line(const lock_choice& lock, const line_choice& line) {
        if (line.waiters > choice_.longest)
            return;
        const auto hand_offs = static_cast<double>(std::max(line.waiters, line.hand_offs));
        const auto each = 0.002 + std::chrono::duration<double>(line.rest).count() * 2;
        const auto what = lock.is_turnstile() ? lock.kind : lock.strategy;
        add(fmt::format("{}{} waiters over {} sessions ({})",
                        line.rest.count() > 0 ? "rested, " : "", line.waiters, line.sessions, what),
            2 + hand_offs * each, [=, this] { return measure_wakeup(server_, lock, line); });
    }

    void add_lines() {
        const lock_choice mutex;
        const auto add = [&](std::size_t waiters, std::size_t sessions) {
            // A line of one takes a tenth of a second for each hand-off.
            const bool enough = !choice_.quick && waiters > 1;
            add_line(mutex, {.waiters = waiters,
                             .sessions = sessions,
                             .hand_offs = std::min(iterations_,
                                                   enough ? hand_offs_for_p99 : warm_hand_offs)});
        };
        add(1000, 1);
        if (choice_.quick) {
            for (const std::size_t waiters : {10, 100, 1000})
                add(waiters, 10);
            for (const std::size_t sessions : {100, 1000})
                add(1000, sessions);
            return;
        }
        for (const std::size_t waiters : {1, 10, 100, 1000, 5000, 20'000})
            for (const std::size_t sessions : {10, 100, 1000})
                if (waiters >= sessions || sessions == 10)
                    add(waiters, sessions);
        for (const std::size_t sessions : {10, 100})
            add_line(mutex, {.waiters = sessions,
                             .sessions = sessions,
                             .hand_offs = cold_hand_offs,
                             .rest = std::chrono::milliseconds{50}});
    }

    void add_strategies() {
        // A herd takes milliseconds for each of them.
        const auto hand_offs = std::min(iterations_, choice_.quick ? 200 : warm_hand_offs);
        for (const auto& name : names_of_strategies())
            for (const std::size_t waiters : {10, 100, 1000}) {
                if (name == lock_choice{}.strategy || waiters > choice_.longest ||
                    (choice_.quick && waiters > 100))
                    continue;
                add(fmt::format("{} waiters over 10 sessions ({})", waiters, name),
                    waiters == 1000 ? 45 : 10, [=, this] {
                        return measure_wakeup(
                            server_, choice_of_strategy(name),
                            {.waiters = waiters, .sessions = 10, .hand_offs = hand_offs});
                    });
            }
    }

    void add_kinds() {
        if (choice_.quick)
            return;
        add_line({.kind = "shared"}, {.waiters = 5000, .sessions = 10});
        add_line({.kind = "readers"}, {.waiters = 1000, .sessions = 10});
        add_line({.kind = "semaphore", .size = 10}, {.waiters = 100, .sessions = 10});
        add_line({.kind = "single-node"}, {.waiters = 5, .sessions = 5});
        add_line({.kind = "multi", .size = 10}, {.waiters = 100, .sessions = 10});
        add("uncontended (semaphore)", 15, [this] {
            return measure_uncontended(server_, {.kind = "semaphore", .size = 10}, iterations_ / 4);
        });
        add("uncontended (multi of 1000)", 30,
            [this] { return measure_uncontended(server_, {.kind = "multi", .size = 1000}, 100); });
    }

    void add_rest() {
        if (choice_.quick)
            return;
        const auto waiters = std::min<std::size_t>(10'000, choice_.longest);
        add("storm", 60, [=, this] { return measure_storm(server_, waiters, 10); });
        add("death", 45, [this] { return measure_death(server_, {}); });
        add("leaders", 20, [this] { return measure_leaders(server_, 200); });
        add("guarded", 8, [this] { return measure_guarded(server_, 5000); });
        add("observe", 20, [this] { return measure_observe(server_, 1000, 10, 50); });
        add("yield", 10, [this] { return measure_yield(server_, 2000); });
        if (server_.has_counters())
            add("idle", 22,
                [this] { return measure_idle(server_, 100, std::chrono::seconds{20}); });
    }

    const target& server_;
    const suite_choice choice_;
    const std::size_t iterations_;
    progress shown_{"suite"};
    std::vector<step> steps_;
};

} // namespace

rows measure_suite(const target& server, const suite_choice& choice, std::size_t& failed) {
    return suite(server, choice).run(failed);
}

} // namespace turnstile::bench
