// SPDX-License-Identifier: BSL-1.0
// Completion tokens in coroutines: use_awaitable and deferred.
#include "integration/support/fixture.hpp"

#include "support/pch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/system_error.hpp>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

// What an operation that must fail throws; for anything that can be awaited.
template <class Awaited>
asio::awaitable<error_code> thrown_by(Awaited what) {
    try {
        static_cast<void>(co_await std::move(what));
    } catch (const boost::system::system_error& e) {
        co_return e.code();
    }
    co_return error_code{};
}

} // namespace

TEST_CASE("every operation can be awaited with use_awaitable") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("use-awaitable")};
    f.run([&]() -> asio::awaitable<void> {
        const auto state = co_await s.wait_state_change(session_state::closed, asio::use_awaitable);
        CHECK(state == session_state::idle);
        co_await s.connect(asio::use_awaitable);
        auto held = co_await lock.acquire(asio::use_awaitable);
        auto taken = co_await lock.try_acquire(asio::use_awaitable);
        CHECK_FALSE(taken);
        CHECK_FALSE(taken.is_held());
        constexpr std::chrono::milliseconds short_time{1};
        auto code = co_await thrown_by(lock.acquire_for(short_time, asio::use_awaitable));
        CHECK(code == error::timeout);
        co_await held.release(asio::use_awaitable);
        held = co_await lock.acquire_for(std::chrono::seconds{10}, asio::use_awaitable);
        CHECK(held.is_held());
        co_await held.release(asio::use_awaitable);
        held = co_await lock.try_acquire(asio::use_awaitable);
        CHECK(held.is_held());
        co_await s.close(asio::use_awaitable);
        const auto [reason] = co_await held.wait_lost(asio::as_tuple(asio::use_awaitable));
        CHECK(reason == condition::lock_lost);
    });
    f.run_out();
}

TEST_CASE("every operation can be awaited as it is") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("deferred")};
    f.run([&]() -> asio::awaitable<void> {
        const auto state = co_await s.wait_state_change(session_state::closed);
        CHECK(state == session_state::idle);
        co_await s.connect();
        auto held = co_await lock.acquire();
        auto taken = co_await lock.try_acquire();
        CHECK_FALSE(taken);
        constexpr std::chrono::milliseconds short_time{1};
        auto code = co_await thrown_by(lock.acquire_for(short_time));
        CHECK(code == error::timeout);
        co_await held.release();
        held = co_await lock.acquire_for(std::chrono::seconds{10});
        co_await held.release();
        held = co_await lock.try_acquire();
        CHECK(held.is_held());
        co_await s.close();
        code = co_await thrown_by(held.wait_lost());
        CHECK(code == error::session_closed);
    });
    f.run_out();
}

TEST_CASE("every operation can be awaited as a tuple") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("tuple")};
    constexpr auto tuple = asio::as_tuple(asio::deferred);
    f.run([&]() -> asio::awaitable<void> {
        const auto [no_wait, state] = co_await s.wait_state_change(session_state::closed, tuple);
        CHECK(!no_wait);
        CHECK(state == session_state::idle);
        const auto [connected] = co_await s.connect(tuple);
        CHECK(!connected);
        auto [acquired, held] = co_await lock.acquire(tuple);
        CHECK(!acquired);
        const auto [blocked, nothing] = co_await lock.try_acquire(tuple);
        CHECK(!blocked);
        CHECK_FALSE(nothing);
        const auto [late, nothing_either] =
            co_await lock.acquire_for(std::chrono::milliseconds{1}, tuple);
        CHECK(late == error::timeout);
        CHECK_FALSE(nothing_either);
        const auto [released] = co_await held.release(tuple);
        CHECK(!released);
        const auto [closed] = co_await s.close(tuple);
        CHECK(!closed);
    });
}
