// SPDX-License-Identifier: BSL-1.0
// parallel_group, which hands all cancellation types on.
#include "integration/support/contract_probe.hpp"
#include "integration/support/fixture.hpp"

using asio::experimental::make_parallel_group;

TEST_CASE("waiting operations form a parallel group and are all cancelled by its first end") {
    fixture f;
    const auto path = fresh_path("group");
    session s{f.context, options_for()};
    mutex lock{s, path};
    f.run([&]() -> asio::awaitable<void> {
        auto held = co_await lock.acquire();
        asio::steady_timer soon{f.context, std::chrono::milliseconds{5}};
        const auto result =
            co_await make_parallel_group(
                lock.acquire(asio::deferred), held.wait_lost(asio::deferred),
                s.wait_state_change(session_state::connected, asio::deferred),
                soon.async_wait(asio::deferred))
                .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
        const error_code was_aborted = asio::error::operation_aborted;
        CHECK(std::get<0>(result)[0] == 3);
        CHECK(std::get<1>(result) == was_aborted);
        CHECK_FALSE(std::get<2>(result));
        CHECK(std::get<3>(result) == was_aborted);
        CHECK(std::get<4>(result) == was_aborted);
        CHECK(!std::get<6>(result));
        CHECK(held.is_held());
        co_await held.release();
    });
    f.run_until([&] { return children_of(path).empty(); });
}

TEST_CASE("acquires form a ranged parallel group of which the first granted stays") {
    fixture f;
    const auto path = fresh_path("group-range");
    session s{f.context, options_for()};
    mutex lock{s, path};
    f.run([&]() -> asio::awaitable<void> {
        std::vector<decltype(lock.acquire(asio::deferred))> acquires;
        for (int i = 0; i < 5; ++i)
            acquires.push_back(lock.acquire(asio::deferred));
        auto [order, codes, locks] =
            co_await make_parallel_group(std::move(acquires))
                .async_wait(asio::experimental::wait_for_one_success(), asio::use_awaitable);
        CHECK(order.front() == 0);
        CHECK(!codes.front());
        CHECK(locks.front().is_held());
        // Losers are cancelled in this very turn; none can have been granted beside the winner.
        for (std::size_t i = 1; i < codes.size(); ++i)
            CHECK(codes[i] == asio::error::operation_aborted);
        co_await locks.front().release();
    });
    f.run_until([&] { return children_of(path).empty(); });
}
