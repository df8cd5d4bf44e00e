// SPDX-License-Identifier: BSL-1.0
// Watches and wake-ups by the server's own counters.
#include "integration/support/fault_rig.hpp"
#include "support/four_letter_word.hpp"
#include "support/pch.hpp"
#include "support/server_counters.hpp"

namespace {

// Tickets watch themselves once they are T/8 old, 25 s here: not in the time of these tests, also
// where the machine is busy.
struct bench_of_sessions {
    zookeeper_server server{{.max_session_timeout_ms = 200'000}};
    fixture f;
    std::vector<std::unique_ptr<session>> owned;
    std::vector<session*> all;

    explicit bench_of_sessions(std::size_t count, std::chrono::seconds timeout = 200s) {
        auto options = impatient(server.address());
        options.timeout = timeout;
        for (std::size_t i = 0; i < count; ++i) {
            owned.push_back(std::make_unique<session>(f.context, options));
            all.push_back(owned.back().get());
            connect(f, *all.back());
        }
    }
};

} // namespace

TEST_CASE("one release wakes one of 100 waiters") {
    bench_of_sessions b{4};
    crowd users{b.all, "/locks/orders", 101};
    onlooker eyes{b.server.address()};
    users.line_up_in_order(b.f, eyes);
    await_watches(b.f, b.server.port(), 100);
    reset_counters(b.server.port());
    users.release_when_granted();
    b.f.run_until([&] { return users.all_done(); });
    const auto counters = server_counters::read(b.server.port());
    CHECK(counters.at("zk_sum_node_changed_watch_count") == 100);
    CHECK(counters.at("zk_max_node_changed_watch_count") == 1);
    // Each of those that waited hears of its own end.
    CHECK(counters.at("zk_sum_node_deleted_watch_count") == 100);
    CHECK(counters.at("zk_max_node_deleted_watch_count") == 1);
    CHECK(counters.at("zk_sum_node_children_watch_count") == 0);
    CHECK(users.book.in_order(users.in_line()));
    CHECK(watches_of(b.server.port()) == 0);
}

TEST_CASE("a cancel in the middle of a line wakes only the next") {
    bench_of_sessions b{4};
    crowd users{b.all, "/locks/orders", 101};
    onlooker eyes{b.server.address()};
    users.line_up_in_order(b.f, eyes);
    await_watches(b.f, b.server.port(), 100);
    reset_counters(b.server.port());
    users.all[50]->cancel();
    await_children(b.f, eyes, "/locks/orders", 100);
    await_watches(b.f, b.server.port(), 100); // one fired, one new, and the leaver's stays
    const auto counters = server_counters::read(b.server.port());
    CHECK(counters.at("zk_sum_node_deleted_watch_count") == 2); // the next, and its own session
    CHECK(counters.at("zk_sum_node_changed_watch_count") == 0);
    users.release_when_granted();
    b.f.run_until([&] { return users.all_done(); });
    CHECK(users.served() == 100);
    CHECK(watches_of(b.server.port()) == 0);
}
