// SPDX-License-Identifier: BSL-1.0
// Sessions that wait far from the front of a line: what they cost the server.
#include "figures.hpp"
#include "stopwatch.hpp"

#include "integration/support/fault_rig.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

namespace {

constexpr std::size_t beats = 8; // in each session timeout

std::vector<std::string> line_up(foreign_client& other, const std::string& path,
                                 std::size_t count) {
    std::vector<std::string> tickets(count);
    REQUIRE(other.create("/locks") % 110 == 0); // made, or there already
    REQUIRE(other.create(path) == 0);
    for (auto& ticket : tickets)
        REQUIRE(other.create(path + "/x-lock-", {}, create_mode::ephemeral_sequential, &ticket) ==
                0);
    return tickets;
}

/// Counts the transactions of the server: the second half of a zxid.
std::int64_t transactions(onlooker& eyes, const std::string& node) {
    REQUIRE(eyes.client().create(node) == 0);
    return eyes.info(node).czxid & 0xffff'ffff;
}

} // namespace

TEST_CASE("a session behind 70 others writes nothing, hears its place, and is granted") {
    const auto path = fresh_path("far");
    frame_proxy proxy{shared_server().port()};
    foreign_client others{{.address = shared_server().address(), .session_timeout = 40s}};
    auto tickets = line_up(others, path, 70);
    fixture f;
    std::vector<std::uint32_t> ahead;
    auto options = impatient(proxy.address());
    options.observer = [&](const lock_event& what) {
        if (what.what == lock_event::kind::queued || what.what == lock_event::kind::moved_up)
            ahead.push_back(what.ahead);
    };
    session s{f.context, options};
    connect(f, s);
    contender waiter{s, path};
    waiter.acquire();
    f.run_until([&] { return !ahead.empty(); });
    REQUIRE(ahead == std::vector<std::uint32_t>{70});
    const auto sent = [&](op what) { return proxy.stats().count(direction::to_server, what); };
    const auto writes = sent(op::multi);
    const auto leave = [&](std::size_t count) {
        for (; count > 0; --count, tickets.erase(tickets.begin()))
            REQUIRE(others.remove(tickets.front()) == 0);
    };
    leave(3);
    f.run_until([&, reads = sent(op::exists)] { return sent(op::exists) >= reads + 2 * beats; });
    CHECK(sent(op::multi) == writes);
    CHECK(ahead.back() == 67);
    leave(3);
    f.run_until([&] { return sent(op::multi) > writes; }); // 64 and fewer: its lease is proved
    CHECK(ahead.back() == 64);
    leave(tickets.size());
    f.run_until([&] { return waiter.holds(); });
    CHECK(proxy.stats().connections == 1);
    waiter.release();
    f.run_until([&] { return waiter.release_result.has_value(); });
}

TEST_CASE("1000 sessions in one line for a minute", "[.][soak]") {
    constexpr std::size_t count = 1000;
    zookeeper_server server{{.tick_ms = 2000, .max_session_timeout_ms = 40'000, .heap = "512m"}};
    onlooker eyes{server.address()};
    fixture f;
    auto options = impatient(server.address());
    options.timeout = 15s;
    std::deque<session> sessions;
    std::vector<session*> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(&sessions.emplace_back(f.context, options));
        connect(f, sessions.back());
    }
    crowd users{all, "/far", count};
    users.line_up();
    await_children(f, eyes, "/far", count);
    const stopwatch settling;
    f.run_until([&] { return settling.ms() > 16'000; });
    const auto before = transactions(eyes, "/before");
    const stopwatch since;
    f.run_until([&] { return since.ms() >= 60'000; }, 120s);
    const auto made = transactions(eyes, "/after") - before - 1;
    const auto a_second = static_cast<double>(made) * 1000 / static_cast<double>(since.ms());
    CHECK(a_second <= 60);
    tell_figures("far_line", {{"sessions", count}, {"transactions_a_second", a_second}});
    const stopwatch draining;
    users.release_when_granted();
    f.run_until([&] { return users.all_done(); }, 120s);
    CHECK(users.failures() == 0);
    tell_figures("far_line_drained", {{"ms", static_cast<double>(draining.ms())}});
}
