// SPDX-License-Identifier: BSL-1.0
// A lock that is granted in the turn of its cancellation: the value owns it, so it cannot leak.
#include "acquire_kind.hpp"
#include "integration/support/cancel_support.hpp"

using namespace asio::experimental::awaitable_operators;

namespace {

// Cancels after a number of handlers were run; whichever wins, nothing may be left.
bool cancel_after_handlers(fixture& f, mutex& lock, acquire_kind what, int handlers,
                           asio::cancellation_type type) {
    cancellable acquire;
    start_acquire(lock, what, acquire.token());
    for (int i = 0; i < handlers && !acquire.done(); ++i)
        f.context.run_one_for(fixture::default_limit);
    const bool too_late = acquire.done();
    acquire.cancel(type);
    f.run_until([&] { return acquire.done(); });
    CHECK((acquire.code() == error_code{} || acquire.code() == aborted));
    CHECK(bool(acquire.lock()) == (acquire.code() == error_code{}));
    acquire.lock() = held_lock{};
    CHECK(acquire.calls() == 1);
    return too_late;
}

asio::awaitable<void> turns(int count) {
    for (int i = 0; i < count; ++i)
        co_await asio::post(asio::use_awaitable);
}

} // namespace

TEST_CASE("a cancellation after any number of handlers leaks no lock") {
    const auto type = GENERATE(every_cancellation_type());
    const auto what = GENERATE(every_kind());
    fixture f;
    const auto path = fresh_path("cancel-any-turn");
    session s{f.context, options_for()};
    mutex lock{s, path};
    for (int handlers = 0; !cancel_after_handlers(f, lock, what, handlers, type); ++handlers)
        REQUIRE(handlers < 1000);
    check_nothing_left(f, s, path);
}

TEST_CASE("a lock that was granted before its cancellation is the caller's or is released") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-granted");
    session s{f.context, options_for()};
    session other{f.context, options_for()};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    cancellable acquire;
    lock.acquire(acquire.token());
    f.run_until([&] { return children_of(path).size() == 2; });
    f.context.poll();

    asio::post(f.context, [&] {
        held = held_lock{}; // the neighbour is granted: its completion is posted
        CHECK(acquire.calls() == 0);
        acquire.cancel(type);
        CHECK(acquire.calls() == 0);
    });
    CHECK(end_of(f, acquire) == error_code{});
    CHECK(acquire.lock().is_held());

    acquire.lock() = held_lock{};
    mutex theirs{other, path};
    auto next = acquire_now(f, theirs);
    release_now(f, next);
    check_nothing_left(f, s, path);
    CHECK(acquire.calls() == 1);
}

TEST_CASE("the operator or releases a lock that was granted in the turn of the other's end") {
    fixture f;
    const auto path = fresh_path("cancel-or");
    session s{f.context, options_for()};
    session other{f.context, options_for()};
    mutex lock{s, path};
    mutex theirs{other, path};
    mutex aside{s, fresh_path("cancel-or-aside")};
    constexpr int most = 40;
    int granted = 0;
    int over = 0;
    f.run([&]() -> asio::awaitable<void> {
        for (int count = 0; count < most; ++count) {
            auto held = co_await lock.acquire();
            asio::steady_timer start{f.context, asio::steady_timer::time_point::max()};
            // Once the next one stands behind it, the grant takes some local turns only.
            asio::co_spawn(
                f.context,
                [&, held = std::move(held)]() mutable -> asio::awaitable<void> {
                    while (children_of(path).size() != 2)
                        co_await asio::post(asio::use_awaitable);
                    auto settled = co_await aside.acquire(); // answered after that enqueue
                    co_await settled.release();
                    start.expires_at(asio::steady_timer::time_point::min());
                    co_await turns(count / 8);
                    held = held_lock{};
                },
                asio::detached);
            auto wait = [&]() -> asio::awaitable<void> {
                co_await start.async_wait(asio::as_tuple(asio::use_awaitable));
                co_await turns(count % 8);
            };
            auto won = co_await (lock.acquire(asio::use_awaitable) || wait());
            ++(won.index() == 0 ? granted : over);
            if (won.index() == 0)
                CHECK(std::get<0>(won).is_held());
            won = std::monostate{};
            auto next = co_await theirs.acquire();
            co_await next.release();
        }
    });
    CHECK(granted + over == most);
    CHECK(granted > 0);
    CHECK(over > 0);
    check_nothing_left(f, s, path);
}
