// SPDX-License-Identifier: BSL-1.0
// What a session watches at the servers: what it holds, waits for and follows, and little more.
#include "integration/support/cancel_support.hpp"
#include "support/pch.hpp"
#include "support/server_view.hpp"

namespace {

constexpr std::size_t spare = 16; // what may stay, beside what is held

struct watch_stage : fixture {
    zookeeper_server server;
    session own{context, options_for(server.address())};

    static void await_request(const held_lock& lock) {
        lock.wait_yield([](error_code, const yield_request&) {});
    }
    std::size_t watches() const { return all_watches_of(server.port()); }
};

} // namespace

TEST_CASE("ten thousand holders that await a request leave no watches behind") {
    watch_stage f;
    f.run(
        [&]() -> asio::awaitable<void> {
            const auto cycle = [&](const std::string& path) -> asio::awaitable<void> {
                mutex lock{f.own, path};
                auto held = co_await lock.acquire();
                f.await_request(held);
                co_await held.release();
            };
            for (int i = 0; i < 5000; ++i)
                co_await cycle("/locks/same");
            for (int i = 0; i < 5000; ++i)
                co_await cycle("/locks/other-" + std::to_string(i));
        },
        200s);
    CHECK(f.watches() <= spare);
}

TEST_CASE("questions leave no watches behind") {
    watch_stage f;
    f.run([&]() -> asio::awaitable<void> {
        for (int i = 0; i < 200; ++i) {
            election of{f.own, "/locks/free-" + std::to_string(i)};
            const auto leader = co_await of.get_leader();
            CHECK_FALSE(leader);
            const auto [failed] = co_await of.ask_to_yield("why", tried);
            CHECK(failed == error::not_held);
        }
    });
    CHECK(f.watches() == 0);
    SECTION("nor do those who follow, once they have gone") {
        std::deque<election> all;
        for (int i = 0; i < 200; ++i)
            all.emplace_back(f.own, "/locks/free-" + std::to_string(i))
                .observe([](error_code, const leader_info&) {});
        f.run_until([&] { return f.watches() >= 400; });
    }
    SECTION("nor do those who wait in vain") {
        session other{f.context, options_for(f.server.address())};
        std::vector<held_lock> held;
        f.run([&]() -> asio::awaitable<void> {
            for (int i = 0; i < 100; ++i) {
                const auto path = "/locks/held-" + std::to_string(i);
                mutex theirs{other, path};
                held.push_back(co_await theirs.acquire());
                mutex ours{f.own, path};
                const auto [failed, lock] = co_await ours.acquire_for(2ms, tried);
                CHECK(failed == error::timeout);
            }
        });
        held.clear();
    }
    f.run_until([&] { return f.watches() <= spare; });
}
