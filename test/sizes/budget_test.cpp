// SPDX-License-Identifier: BSL-1.0
// A storm of acquires on one session: its tickets stay within what a server can take back.
#include "figures.hpp"
#include "stopwatch.hpp"

#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

namespace {

// Everything is held by others, and one session wants all of it, much at many places and a little
// at very many.
struct storm {
    storm(std::size_t bytes, std::size_t path_count, std::size_t per_path, std::size_t extra)
        : limit(bytes), paths(path_count + extra) {
        auto options = impatient(server.address());
        options.timeout = 30s;
        for (std::size_t i = 0; i < 4; ++i)
            holders.push_back(std::make_unique<session>(f.context, options));
        options.ticket_bytes = bytes;
        stormy.emplace(f.context, options);
        for (std::size_t i = 0; i < paths; ++i)
            held.push_back(std::make_unique<contender>(*holders[i % holders.size()], path_of(i)));
        for (const auto& each : held)
            each->acquire();
        f.run_until([&] { return std::ranges::all_of(held, &contender::completed); }, 120s);
        REQUIRE(std::ranges::all_of(held, [](const auto& each) { return each->holds(); }));
        for (std::size_t i = 0; i < path_count; ++i)
            for (std::size_t n = 0; n < per_path; ++n)
                waiting.push_back(std::make_unique<contender>(*stormy, path_of(i)));
        for (std::size_t i = path_count; i < paths; ++i)
            waiting.push_back(std::make_unique<contender>(*stormy, path_of(i)));
    }

    static std::string path_of(std::size_t i) { return "/wanted/" + std::to_string(i); }

    void break_out() {
        connect(f, *stormy);
        for (const auto& each : waiting)
            each->acquire();
        // As long as creates are under way nobody knows for which of them the last eighth is. A
        // lock granted then is answered behind all that was sent before.
        first = std::make_unique<contender>(*stormy, "/free/first");
        f.run_until(
            [&] {
                if (first->started == first->completed && !first->holds())
                    first->acquire();
                return first->holds();
            },
            120s);
        first->lock = {};
        most = bytes_at_server();
    }

    // What the close of the session has to name.
    std::size_t bytes_at_server() {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < paths; ++i) {
            const auto path = path_of(i);
            // The first ticket is the holder's.
            const auto here = eyes.count(path);
            bytes += (std::max<std::size_t>(here, 1) - 1) * (path.size() + ticket_name);
        }
        return bytes;
    }

    // Of locks that are free, while all that wait use up the budget.
    void take_free_ones(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            free.push_back(std::make_unique<contender>(*stormy, "/free/" + std::to_string(i)));
            free.back()->acquire();
            f.run_until([&] { return free.back()->completed == 1; });
            REQUIRE(free.back()->holds());
        }
        most = std::max(most, bytes_at_server());
    }

    // The session's end, and the server that has to name all its tickets comes back after it.
    void end_and_restart() {
        CHECK(most <= limit);
        stormy.reset();
        f.run_until([&] {
            return std::ranges::all_of(waiting, [](const auto& each) { return each->completed; });
        });
        f.run_until([&] { return bytes_at_server() == 0; }, 60s);
        server.kill();
        server.start();
        CHECK(bytes_at_server() == 0);
        CHECK(eyes.count(path_of(0)) == 1);
    }

    [[nodiscard]] std::size_t full() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            waiting, [](const auto& each) { return each->failure == error::session_full; }));
    }

    // "/turn-<incarnation, here of 2 to 5 digits>-lock-<10 digits>", and the length; at the least.
    static constexpr std::size_t ticket_name = 1 + 5 + 2 + 6 + 10 + 4;

    std::size_t limit;
    std::size_t paths;
    std::size_t most = 0;
    zookeeper_server server{{.max_session_timeout_ms = 40'000, .heap = "512m"}};
    onlooker eyes{server.address()};
    fixture f;
    std::vector<std::unique_ptr<session>> holders;
    std::optional<session> stormy;
    std::vector<std::unique_ptr<contender>> held;
    std::vector<std::unique_ptr<contender>> waiting;
    std::vector<std::unique_ptr<contender>> free;
    std::unique_ptr<contender> first; // outlives what it awaits
};

} // namespace

TEST_CASE("a storm keeps within the budget, and free locks are taken beside it") {
    storm s(16'384, 10, 40, 400);
    s.break_out();
    s.take_free_ones(10);
    CHECK(s.full() > 0);
    s.end_and_restart();
}

TEST_CASE("a storm of 60000 acquires on one session", "[.][soak]") {
    const stopwatch since;
    storm s(512 * 1024, 200, 200, 20'000);
    const auto held = since.ms();
    s.break_out();
    s.take_free_ones(500);
    const auto most = s.most;
    const auto full = s.full();
    s.end_and_restart();
    tell_figures("storm", {{"acquires", s.waiting.size()},
                           {"paths", s.paths},
                           {"limit_bytes", s.limit},
                           {"most_bytes", most},
                           {"session_full", full},
                           {"free_locks_taken", s.free.size()},
                           {"held_after_ms", held},
                           {"seconds", since.ms() / 1000}});
}
