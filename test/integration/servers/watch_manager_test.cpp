// SPDX-License-Identifier: BSL-1.0
// A fault of ZooKeeper's other watch manager, WatchManagerOptimized: it may keep the event of a
// node's deletion from a session that watches the children. Two sessions then hold one lock, unless
// tickets watch their own data (docs/internals/optimized_watch_manager.md). The cast: one server
// and three sessions, of which one holds and two wait.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "support/server_view.hpp"

namespace {

zookeeper_server_options optimized() {
    return {.tick_ms = 2000, // beats are rare: they would show it as well
            .system_properties = {"zookeeper.watchManagerName="
                                  "org.apache.zookeeper.server.watch.WatchManagerOptimized"}};
}

/// Three sessions. The first one holds, and the others wait behind it in their order. The second
/// session's ticket is evicted, and then the first one releases.
struct evicted_waiter : fixture {
    evicted_waiter(const zookeeper_server& where, bool watch_own_data) : server(where) {
        auto options = long_session(server.address());
        options.watch_own_data = watch_own_data;
        for (int i = 0; i < 3; ++i)
            connect(*this, sessions.emplace_back(context, options));
    }

    /// The server numbers the watchers of children and those of data, each by themselves, and then
    /// confuses the numbers. The holder gets the first number for children now, and none for data.
    /// So the third session's number for data is the second session's for children: the fault
    /// shows.
    void let_holder_watch() {
        mutex lock{sessions[0], fresh_path("first")};
        const auto before = all_watches_of(server.port());
        auto held = acquire_now(*this, lock);
        run_until([&] { return all_watches_of(server.port()) > before; });
    }

    /// In how many of these rounds both waiters believe that they hold the lock.
    int overlaps(int rounds) {
        int result = 0;
        for (int round = 0; round < rounds; ++round)
            result += two_hold() ? 1 : 0;
        return result;
    }

    bool two_hold() {
        const auto path = fresh_path("evicted");
        std::deque<mutex> locks;
        for (auto& each : sessions)
            locks.emplace_back(each, path);
        auto held = acquire_now(*this, locks[0]);
        probe waits;
        probe next;
        for (auto* const each : {&waits, &next}) {
            locks[each == &waits ? 1 : 2].acquire(each->make());
            settle(*this, sessions[each == &waits ? 1 : 2]);
        }
        const auto line = line_of(*this, locks[0]);
        REQUIRE(line.size() == 3);
        REQUIRE(result_of(*this, [&](auto token) { locks[0].evict(line[1], std::move(token)); }) ==
                error_code{});
        release_now(*this, held);
        run_until([&] { return next.done(); });
        settle(*this, sessions[1]); // all events that the server sent to it have come
        const bool two = waits.done() && waits.lock().is_held() && next.lock().is_held();
        next.lock() = {};
        if (!two)
            run_until([&] { return waits.done(); });
        waits.lock() = {};
        return two;
    }

    const zookeeper_server& server;
    std::deque<session> sessions;
};

} // namespace

TEST_CASE(
    "two hold a lock if a deletion's event is kept back, but not if tickets watch their data") {
    const zookeeper_server server{optimized()};
    evicted_waiter usual{server, false};
    usual.let_holder_watch();
    // Both hold until the next beat, which may come within a round: one round of six may be right.
    CHECK(usual.overlaps(6) >= 5);
    evicted_waiter careful{server, true};
    careful.let_holder_watch();
    CHECK(careful.overlaps(200) == 0);
}

TEST_CASE("the fault does not show if no two sessions have the same number") {
    const zookeeper_server server{optimized()};
    evicted_waiter usual{server, false};
    CHECK(usual.overlaps(6) == 0);
}
