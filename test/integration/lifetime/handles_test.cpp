// SPDX-License-Identifier: BSL-1.0
// Several handles on one held lock.
#include "integration/support/fixture.hpp"
#include "support/pch.hpp"

namespace {

struct held_by_one : fixture {
    held_by_one() {
        run([&]() -> asio::awaitable<void> { first = co_await ours.acquire(); });
    }

    session here{context, options_for()};
    const std::string path = fresh_path("handles");
    mutex ours{here, path};
    held_lock first;
};

} // namespace

TEST_CASE("each handle has waits of its own") {
    held_by_one f;
    auto second = f.first.share();
    std::optional<error_code> first_wait;
    std::optional<error_code> second_wait;
    f.first.wait_lost([&](error_code why) { first_wait = why; });
    second.wait_lost([&](error_code why) { second_wait = why; });
    f.first = {};
    f.run_until([&] { return first_wait.has_value(); });
    CHECK(*first_wait == error::released);
    CHECK_FALSE(second_wait);
    f.run([&]() -> asio::awaitable<void> { co_await f.here.close(); });
    f.run_until([&] { return second_wait.has_value(); });
    CHECK(*second_wait == condition::lock_lost);
    CHECK_FALSE(second.is_held());
    auto late = second.share();
    CHECK(late);
    CHECK_FALSE(late.is_held());
}

TEST_CASE("handles come and go on several threads") {
    held_by_one f;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([mine = f.first.share()]() mutable {
            for (int round = 0; round < 100; ++round)
                mine = mine.share();
        });
    f.first = {};
    for (auto& each : threads)
        each.join();
    f.run_until([&] { return children_of(f.path).empty(); });
}

TEST_CASE("an acquire that would wait for its own session fails, where that is asked for") {
    fixture f;
    auto options = options_for();
    options.own_wait = own_wait::refused;
    session s{f.context, options};
    shared_mutex lock{s, fresh_path("own")};
    f.run([&]() -> asio::awaitable<void> {
        error_code refused;
        auto reader = co_await lock.shared().acquire();
        auto other = co_await lock.shared().acquire();
        std::ignore = co_await lock.acquire(asio::redirect_error(asio::use_awaitable, refused));
        CHECK(refused == error::would_deadlock);
        co_await reader.release();
        co_await other.release();
        auto writer = co_await lock.acquire();
        std::ignore =
            co_await lock.shared().acquire(asio::redirect_error(asio::use_awaitable, refused));
        CHECK(refused == error::would_deadlock);
    });
}
