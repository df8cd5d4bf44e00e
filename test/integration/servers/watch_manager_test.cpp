// SPDX-License-Identifier: BSL-1.0
// Servers with ZooKeeper's other watch manager: docs/internals/optimized_watch_manager.md.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "support/server_view.hpp"

namespace {

zookeeper_server_options optimized() {
    return {.tick_ms = 2000, // beats are rare: they would show it as well
            .system_properties = {"zookeeper.watchManagerName="
                                  "org.apache.zookeeper.server.watch.WatchManagerOptimized"}};
}

/// Somebody holds, one waits, and one more waits behind it. The one in the middle is evicted, and
/// the holder releases.
struct evicted_waiter : fixture {
    evicted_waiter(const zookeeper_server& where, bool watch_own_data) : server(where) {
        auto options = long_session(server.address());
        options.watch_own_data = watch_own_data;
        for (int i = 0; i < 3; ++i)
            connect(*this, sessions.emplace_back(context, options));
    }

    /// The session that holds has a number as a watcher of children from now on, and none as one of
    /// data. So those of the others differ by one, and meet.
    void let_holder_watch() {
        mutex lock{sessions[0], fresh_path("first")};
        const auto before = all_watches_of(server.port());
        auto held = acquire_now(*this, lock);
        run_until([&] { return all_watches_of(server.port()) > before; });
    }

    /// In how many of these rounds the two that waited both believe in the lock.
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
        settle(*this, sessions[1]); // what the servers told this one has come
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

TEST_CASE("where a deletion is kept back two hold a lock, but not where tickets watch their data") {
    const zookeeper_server server{optimized()};
    evicted_waiter usual{server, false};
    usual.let_holder_watch();
    // Both hold until the next beat, and that may come in the middle of a round.
    CHECK(usual.overlaps(6) >= 5);
    evicted_waiter careful{server, true};
    careful.let_holder_watch();
    CHECK(careful.overlaps(200) == 0);
}

TEST_CASE("where the numbers of sessions do not meet that fault is there, and does not show") {
    const zookeeper_server server{optimized()};
    evicted_waiter usual{server, false};
    CHECK(usual.overlaps(6) == 0);
}
