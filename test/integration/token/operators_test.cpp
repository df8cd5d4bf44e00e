// SPDX-License-Identifier: BSL-1.0
// The awaitable operators || and &&.
#include "integration/support/fixture.hpp"

#include "support/pch.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using namespace turnstile;
using namespace turnstile::test;

namespace {

asio::awaitable<void> pause(std::chrono::milliseconds time) {
    asio::steady_timer timer{co_await asio::this_coro::executor, time};
    co_await timer.async_wait(asio::use_awaitable);
}

constexpr std::chrono::milliseconds moment{5};
constexpr std::chrono::seconds long_enough{30};

} // namespace

TEST_CASE("operations can be combined with a timer by the operator or") {
    fixture f;
    const auto path = fresh_path("operator-or");
    session s{f.context, options_for()};
    mutex lock{s, path};
    f.run([&]() -> asio::awaitable<void> {
        const auto connect = co_await (s.connect(asio::use_awaitable) || pause(long_enough));
        CHECK(connect.index() == 0);
        auto acquire = co_await (lock.acquire(asio::use_awaitable) || pause(long_enough));
        REQUIRE(acquire.index() == 0);
        auto held = std::get<0>(std::move(acquire));
        CHECK(held.is_held());

        const auto second = co_await (lock.acquire(asio::use_awaitable) || pause(moment));
        CHECK(second.index() == 1);
        const auto lost = co_await (held.wait_lost(asio::use_awaitable) || pause(moment));
        CHECK(lost.index() == 1);
        const auto change = co_await (
            s.wait_state_change(session_state::connected, asio::use_awaitable) || pause(moment));
        CHECK(change.index() == 1);
        CHECK(held.is_held());
        const auto release = co_await (held.release(asio::use_awaitable) || pause(long_enough));
        CHECK(release.index() == 0);
        const auto close = co_await (s.close(asio::use_awaitable) || pause(long_enough));
        CHECK(close.index() == 0);
    });
    CHECK(children_of(path).empty());
}

TEST_CASE("two acquires of one lock can be raced by the operator or") {
    fixture f;
    const auto path = fresh_path("operator-or-race");
    session a{f.context, options_for()};
    session b{f.context, options_for()};
    mutex first{a, path};
    mutex second{b, path};
    f.run([&]() -> asio::awaitable<void> {
        for (int i = 0; i < 20; ++i) {
            auto won = co_await (first.acquire(asio::use_awaitable) ||
                                 second.acquire(asio::use_awaitable));
            auto held =
                won.index() == 0 ? std::get<0>(std::move(won)) : std::get<1>(std::move(won));
            CHECK(held.is_held());
            co_await held.release();
        }
        auto held = co_await first.acquire();
        CHECK(held.is_held());
        co_await held.release();
    });
    f.run_until([&] { return children_of(path).empty(); });
}

TEST_CASE("acquires of two locks can be combined by the operator and") {
    fixture f;
    session s{f.context, options_for()};
    mutex left{s, fresh_path("operator-and")};
    mutex right{s, fresh_path("operator-and")};
    f.run([&]() -> asio::awaitable<void> {
        auto [one, other] =
            co_await (left.acquire(asio::use_awaitable) && right.acquire(asio::use_awaitable));
        CHECK(one.is_held());
        CHECK(other.is_held());
        co_await (one.release(asio::use_awaitable) && other.release(asio::use_awaitable));
    });
}
