// SPDX-License-Identifier: BSL-1.0
// Servers with ZooKeeper's other watch manager: docs/internals/optimized_watch_manager.md.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

#include <deque>
#include <string>

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

zookeeper_server_options optimized() {
    return {.tick_ms = 2000, // beats are rare: they would show it as well
            .system_properties = {"zookeeper.watchManagerName="
                                  "org.apache.zookeeper.server.watch.WatchManagerOptimized"}};
}

/// Somebody holds, one waits, and one more waits behind it. The one in the middle is evicted, and
/// the holder releases.
struct evicted_waiter : fixture {
    evicted_waiter(const std::string& server, bool watch_own_data) {
        auto options = options_for(server);
        options.timeout = 15s;
        options.watch_own_data = watch_own_data;
        for (int i = 0; i < 3; ++i)
            connect(*this, sessions.emplace_back(context, options));
    }

    /// Whether both believe in the lock.
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

    std::deque<session> sessions;
};

} // namespace

TEST_CASE("where a deletion is kept back two hold a lock, but not where tickets watch their data") {
    const zookeeper_server server{optimized()};
    evicted_waiter usual{server.address(), false};
    int rounds = 0;
    while (rounds < 6 && !usual.two_hold())
        ++rounds;
    CHECK(rounds < 6); // the fault is there
    evicted_waiter careful{server.address(), true};
    int two_held = 0;
    for (int round = 0; round < 200; ++round)
        two_held += careful.two_hold() ? 1 : 0;
    CHECK(two_held == 0);
}
