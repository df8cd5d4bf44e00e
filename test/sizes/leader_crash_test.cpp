// SPDX-License-Identifier: BSL-1.0
// Many tickets over several sessions, and the leader of the ensemble is killed.
#include "figures.hpp"
#include "stopwatch.hpp"

#include "integration/support/fault_rig.hpp"
#include "support/ensemble.hpp"
#include "support/pch.hpp"

#include <algorithm>

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

constexpr auto drained_path = "/q/many";

struct through_leader_kill {
    through_leader_kill(std::size_t session_count, std::size_t tickets) : total(tickets) {
        auto options = impatient(servers.connect_string());
        options.timeout = 15s;
        for (std::size_t i = 0; i < session_count; ++i) {
            owned.push_back(std::make_unique<session>(f.context, options));
            all.push_back(owned.back().get());
            connect(f, *all.back());
            ids.push_back(all.back()->id());
        }
        users.emplace(all, drained_path, total);
        line_up();
    }

    void line_up() {
        for (const auto each : all) { // who knows the path enqueues at once
            contender user{*each, drained_path};
            user.release_when_granted = true;
            user.acquire();
            f.run_until([&] { return user.completed == 2; });
        }
        for (std::size_t i = 0; i < total; ++i) {
            users->all[i]->acquire();
            if ((i + 1) % all.size() == 0) { // in turn, so that they stand behind one another
                f.context.restart();
                f.context.poll();
            }
        }
        onlooker eyes{servers.server(servers.leader()).address()};
        await_children(f, eyes, drained_path, total, 240s);
        f.run_until([&] { return users->served() == 1; });
    }

    void crash_leader() {
        const auto before = listing(servers.leader());
        const auto leader = servers.leader();
        const stopwatch since;
        servers.kill(leader);
        const auto connected = [](const session* s) {
            return s->state() == session_state::connected;
        };
        f.run_until([&] { return !std::ranges::all_of(all, connected); });
        f.run_until([&] { return std::ranges::all_of(all, connected); }, 60s);
        back_ms = since.ms();
        servers.start(leader);
        const auto now = listing(servers.leader());
        CHECK(now == before);
        for (std::size_t i = 0; i < all.size(); ++i)
            CHECK(all[i]->id() == ids[i]);
        CHECK(users->served() == 1);
        CHECK_FALSE(users->book.grants.front().who->loss);
    }

    std::vector<std::string> listing(std::size_t server) {
        onlooker eyes{servers.server(server).address()};
        eyes.client().sync(drained_path);
        return eyes.children(drained_path);
    }

    void drain() {
        users->release_when_granted();
        f.run_until([&] { return users->all_done(); }, 600s);
        CHECK(users->failures() == 0);
        CHECK(users->served() == total);
        CHECK(users->book.violations() == journal::no_violations);
        onlooker eyes{servers.server(servers.leader()).address()};
        await_children(f, eyes, drained_path, 0, 60s);
    }

    std::size_t total;
    std::chrono::milliseconds::rep back_ms = 0;
    ensemble servers{{.server = {.max_session_timeout_ms = 40'000, .heap = "512m"}}};
    fixture f;
    std::vector<std::unique_ptr<session>> owned;
    std::vector<session*> all;
    std::vector<std::int64_t> ids;
    std::optional<crowd> users;
};

} // namespace

TEST_CASE("1000 tickets of four sessions survive the kill of the leader, and all are served") {
    through_leader_kill r(4, 1000);
    r.crash_leader();
    r.drain();
}

TEST_CASE("40000 tickets of eight sessions through the kill of the leader", "[.][soak]") {
    const stopwatch lining_up;
    through_leader_kill r(8, 40'000);
    const auto lined_up = lining_up.ms();
    r.crash_leader();
    const stopwatch draining;
    r.drain();
    tell_figures("tickets", {{"tickets", r.total},
                             {"sessions", r.all.size()},
                             {"line_up_ms", lined_up},
                             {"connected_again_ms", r.back_ms},
                             {"drained_ms", draining.ms()}});
}
