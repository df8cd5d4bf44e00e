// SPDX-License-Identifier: BSL-1.0
// parallel_group, which hands all cancellation types on.
#include "integration/support/contract_probe.hpp"
#include "integration/support/fixture.hpp"

#include "support/pch.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using asio::experimental::make_parallel_group;
using namespace turnstile;
using namespace turnstile::test;

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

TEST_CASE("finishing operations form a parallel group") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("group-all")};
    mutex other{s, fresh_path("group-all")};
    f.run([&]() -> asio::awaitable<void> {
        auto held = co_await other.acquire();
        auto result = co_await make_parallel_group(
                          s.connect(asio::deferred), lock.acquire(asio::deferred),
                          other.try_acquire(asio::deferred),
                          other.acquire_for(std::chrono::milliseconds{1}, asio::deferred))
                          .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
        CHECK(!std::get<1>(result));
        CHECK(!std::get<2>(result));
        CHECK(std::get<3>(result).is_held());
        CHECK(!std::get<4>(result));
        CHECK_FALSE(std::get<5>(result));
        CHECK(std::get<6>(result) == error::timeout);
        const auto [order, released, closed] =
            co_await make_parallel_group(std::get<3>(result).release(asio::deferred),
                                         s.close(asio::deferred))
                .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
        CHECK(order[0] == 0);
        CHECK(!released);
        CHECK(!closed);
    });
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

TEST_CASE("a parallel group can be cancelled as a whole with each type") {
    const auto type = GENERATE(asio::cancellation_type::terminal, asio::cancellation_type::partial,
                               asio::cancellation_type::total);
    fixture f;
    const auto path = fresh_path("group-cancel");
    session s{f.context, options_for()};
    mutex lock{s, path};
    asio::cancellation_signal signal;
    probe holder;
    lock.acquire(holder.make());
    f.run_until([&] { return holder.done(); });

    bool done = false;
    make_parallel_group(lock.acquire(asio::deferred), holder.lock().wait_lost(asio::deferred))
        .async_wait(
            asio::experimental::wait_for_all(),
            asio::bind_cancellation_slot(
                signal.slot(), [&](auto, error_code acquired, held_lock nothing, error_code lost) {
                    CHECK(acquired == asio::error::operation_aborted);
                    CHECK_FALSE(nothing);
                    CHECK(lost == asio::error::operation_aborted);
                    done = true;
                }));
    f.run_until([&] { return children_of(path).size() == 2; });
    signal.emit(type);
    f.run_until([&] { return done; });
    CHECK(holder.lock().is_held());
    f.run_until([&] { return children_of(path).size() == 1; });
}
