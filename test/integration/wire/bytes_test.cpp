// SPDX-License-Identifier: BSL-1.0
// The cost of an acquire and of a wake-up does not know how many stand in line.
#include "integration/support/fault_rig.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <cstdio>

namespace {

struct cost {
    std::int64_t to_server = 0;
    std::int64_t to_client = 0;
    std::uint64_t listings = 0;
};

cost since(const proxy_stats& before, const proxy_stats& now) {
    return {static_cast<std::int64_t>(now.bytes_to_server - before.bytes_to_server),
            static_cast<std::int64_t>(now.bytes_to_client - before.bytes_to_client),
            now.count(direction::to_server, op::get_children2) -
                before.count(direction::to_server, op::get_children2)};
}

struct costs {
    cost line_up;
    cost wake_up;
};

// Of the one behind so many others: to line up, and to be woken.
costs measure(const zookeeper_server& server, std::size_t others) {
    frame_proxy proxy{server.port()};
    onlooker eyes{server.address()};
    fixture f;
    session crowded{f.context, without_beats(server.address())};
    session s{f.context, without_beats(proxy.address())};
    const auto path = fresh_path("bytes");
    contender first{s, path}; // which makes the path, and knows it from now on
    first.release_when_granted = true;
    first.acquire();
    f.run_until([&] { return first.completed == 2; });
    crowd before{{&crowded}, path, others};
    before.line_up();
    await_children(f, eyes, path, others);
    settle(f, crowded);

    const auto begin = proxy.stats();
    const auto looked =
        proxy.add_rule({.direction = direction::to_client, .op = op::get_data, .path = path});
    const auto woken = proxy.add_rule(
        {.direction = direction::to_client, .op = op::watch_event, .path = path, .times = 0});
    contender last{s, path};
    last.acquire();
    f.run_until([&] { return proxy.hits(looked) > 0; });
    const auto in_line = proxy.stats();
    CHECK_FALSE(last.holds());
    before.release_when_granted();
    f.run_until([&] { return last.holds() && proxy.hits(woken) > 0; });
    const auto granted = proxy.stats();
    CHECK(proxy.hits(woken) == 1);
    CHECK(before.served() == others);
    CHECK(last.token > before.book.grants.back().token);
    return {since(begin, in_line), since(in_line, granted)};
}

// What a reader's acquire and release make its session receive behind so many readers' tickets: the
// most of 200, after the first. It comes behind its own last one, or behind another session's.
std::int64_t most_received(const zookeeper_server& server, std::size_t others, bool behind_own) {
    frame_proxy proxy{server.port()};
    fixture f;
    session s{f.context, without_beats(proxy.address())};
    session beside{f.context, without_beats(server.address())};
    const auto path = fresh_path("readers");
    shared_mutex ours{s, path};
    shared_mutex theirs{beside, path};
    mutex aside{beside, fresh_path("aside")};
    const auto once = [&f](auto& which) { // answered in order: all that was asked before is over
        f.run([&]() -> boost::asio::awaitable<void> {
            auto lock = co_await which.acquire();
            co_await lock.release();
        });
    };
    once(ours); // which makes the path
    foreign_client crowd{server.address()};
    node_info info;
    REQUIRE(crowd.exists(path, &info) == 0);
    std::array<char, 64> prefix{};
    std::snprintf(prefix.data(), prefix.size(), "/turn-%llx-read-lock-",
                  static_cast<unsigned long long>(info.czxid));
    for (std::size_t i = 0; i < others; ++i)
        REQUIRE(crowd.create(path + prefix.data(), "", create_mode::ephemeral_sequential) == 0);

    std::int64_t most = 0;
    for (int i = 0; i <= 200; ++i) {
        held_lock before_it;
        if (!behind_own) {
            f.run([&]() -> boost::asio::awaitable<void> {
                before_it = co_await theirs.shared().acquire();
            });
            once(aside);
        }
        const auto before = proxy.stats();
        f.run([&]() -> boost::asio::awaitable<void> {
            auto lock = co_await ours.shared().acquire();
            co_await lock.release();
        });
        if (i > 0)
            most = std::max(most, since(before, proxy.stats()).to_client);
    }
    crowd.close();
    return most;
}

// Numbers in names and data have more digits or fewer.
bool alike(std::int64_t one, std::int64_t other) { return std::abs(one - other) <= 32; }

} // namespace

TEST_CASE("lining up and being woken cost as many bytes behind 10 others as behind 300") {
    zookeeper_server server{{.max_session_timeout_ms = 4'000'000}};
    const auto few = measure(server, 10);
    const auto many = measure(server, 300);
    CHECK(few.line_up.to_server > 0);
    CHECK(alike(few.line_up.to_server, many.line_up.to_server));
    CHECK(alike(few.line_up.to_client, many.line_up.to_client));
    CHECK(few.wake_up.to_client > 0);
    CHECK(alike(few.wake_up.to_client, many.wake_up.to_client));
    for (const auto& each : {few, many}) {
        CHECK(each.wake_up.to_server == 0); // the event is all it takes
        CHECK(each.line_up.listings == 1);  // of its own ticket, which has no children
        CHECK(each.wake_up.listings == 0);
    }
}

TEST_CASE("a reader's acquire receives as much behind 1,000 readers' tickets as behind none") {
    zookeeper_server server{{.max_session_timeout_ms = 4'000'000}};
    const bool behind_own = GENERATE(true, false);
    const auto alone = most_received(server, 0, behind_own);
    const auto behind = most_received(server, 1000, behind_own);
    CAPTURE(alone, behind);
    CHECK(alone > 0);
    CHECK(behind <= 4 * alone);
}
