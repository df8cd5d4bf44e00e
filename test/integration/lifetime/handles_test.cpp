// SPDX-License-Identifier: BSL-1.0
// Several handles on one held lock.
#include "integration/support/fixture.hpp"
#include "support/pch.hpp"

#include <boost/asio/redirect_error.hpp>

#include <cstddef>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

// Two sessions, the first of which holds the lock of a path.
template <class Lock>
struct held_by_one : fixture {
    held_by_one() {
        run([&]() -> asio::awaitable<void> { first = co_await ours.acquire(); });
    }

    session here{context, options_for()};
    session there{context, options_for()};
    const std::string path = fresh_path("handles");
    Lock ours{here, path};
    Lock theirs{there, path};
    held_lock first;
};

} // namespace

TEMPLATE_TEST_CASE("a lock is released with the last of its handles", "", mutex, shared_mutex) {
    held_by_one<TestType> f;
    auto second = f.first.share();
    auto third = second.share();
    CHECK(second);
    CHECK(second.is_held());
    CHECK(second.fencing_token() == f.first.fencing_token());
    CHECK(third.deadline() == f.first.deadline());
    bool served = false;
    f.spawn([&]() -> asio::awaitable<void> {
        const auto lock = co_await f.theirs.acquire();
        served = true;
    });
    f.run_until([&] { return children_of(f.path).size() == 2; });
    std::size_t released = 0; // which completes, though others remain
    for (auto* const each : {&f.first, &third})
        each->release([&](error_code result) { released += result ? 0 : 1; });
    f.run_until([&] { return released == 2; });
    CHECK(second.is_held());
    CHECK(children_of(f.path).size() == 2);
    CHECK_FALSE(served);
    second = {};
    f.run_until([&] { return served; });
}

TEST_CASE("each handle has waits of its own") {
    held_by_one<mutex> f;
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
    held_by_one<mutex> f;
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
