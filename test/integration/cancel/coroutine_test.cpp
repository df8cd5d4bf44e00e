// SPDX-License-Identifier: BSL-1.0
// Each way to await an acquire in a coroutine, with each type of cancellation.
#include "acquire_kind.hpp"
#include "integration/support/cancel_support.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <optional>
#include <tuple>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

enum class style { awaitable, deferred, tuple };

asio::awaitable<error_code> await_acquire(mutex& lock, acquire_kind what, style how) {
    // A coroutine lets only terminal cancellations through unless it says otherwise.
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    co_await asio::this_coro::throw_if_cancelled(false);
    const bool limited = what == acquire_kind::acquire_for;
    const std::chrono::minutes limit{1};
    const auto told = asio::as_tuple(asio::use_awaitable);
    held_lock held;
    error_code error;
    try {
        if (how == style::awaitable && limited)
            held = co_await lock.acquire_for(limit, asio::use_awaitable);
        else if (how == style::awaitable)
            held = co_await lock.acquire(asio::use_awaitable);
        else if (how == style::deferred && limited)
            held = co_await lock.acquire_for(limit);
        else if (how == style::deferred)
            held = co_await lock.acquire();
        else if (limited)
            std::tie(error, held) = co_await lock.acquire_for(limit, told);
        else
            std::tie(error, held) = co_await lock.acquire(told);
    } catch (const boost::system::system_error& e) {
        error = e.code();
    }
    co_return error;
}

} // namespace

TEST_CASE("an acquire that a coroutine awaits is cancelled by each type in each style") {
    const auto type = GENERATE(every_cancellation_type());
    const auto what = GENERATE(acquire_kind::acquire, acquire_kind::acquire_for);
    const auto how = GENERATE(style::awaitable, style::deferred, style::tuple);
    CAPTURE(static_cast<int>(type), static_cast<int>(what), static_cast<int>(how));
    fixture f;
    const auto path = fresh_path("cancel-coroutine");
    session other{f.context, options_for()};
    mutex theirs{other, path};
    auto held = acquire_now(f, theirs);
    session s{f.context, options_for()};
    mutex lock{s, path};
    asio::cancellation_signal signal;
    std::optional<error_code> outcome;
    asio::co_spawn(
        f.context, await_acquire(lock, what, how),
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e, error_code result) {
            CHECK_FALSE(e);
            outcome = result;
        }));
    f.run_until([&] { return children_of(path).size() == 2; });
    CHECK_FALSE(outcome);
    signal.emit(type);
    f.run_until([&] { return outcome.has_value(); });
    CHECK(*outcome == aborted);
    f.run_until([&] { return children_of(path).size() == 1; });
    release_now(f, held);
    check_nothing_left(f, s, path);
}
