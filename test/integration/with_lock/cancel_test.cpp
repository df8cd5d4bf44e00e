// SPDX-License-Identifier: BSL-1.0
// with_lock when its caller is cancelled.
#include "with_lock_stage.hpp"

using namespace boost::asio::experimental::awaitable_operators;

TEST_CASE("with_lock cancelled from outside cancels the coroutine and releases") {
    with_lock_stage t;
    session other{t.context, options_for()};
    mutex theirs{other, t.path};
    bool cancelled = false;
    gate other_side{t.context};
    t.spawn([&]() -> asio::awaitable<void> {
        const auto won = co_await (with_lock(t.lock,
                                             [&]() -> asio::awaitable<void> {
                                                 t.inside = true;
                                                 const auto code = co_await code_of(for_ever());
                                                 cancelled = code == aborted;
                                             }) ||
                                   other_side.pass());
        CHECK(won.index() == 1);
        auto held = co_await theirs.acquire();
        CHECK(held.is_held());
        co_await held.release();
    });
    t.run_until_inside();
    other_side.open();
    t.run_spawned();
    CHECK(cancelled);
    CHECK(children_of(t.path).empty());
}

TEST_CASE("with_lock cancelled from outside while it waits leaves no ticket") {
    with_lock_stage t;
    session other{t.context, options_for()};
    mutex theirs{other, t.path};
    auto held = acquire_now(t, theirs);
    gate other_side{t.context};
    t.spawn([&]() -> asio::awaitable<void> {
        const auto won = co_await (with_lock(t.lock,
                                             []() -> asio::awaitable<void> {
                                                 FAIL("called");
                                                 co_return;
                                             }) ||
                                   other_side.pass());
        CHECK(won.index() == 1);
    });
    t.run_until([&] { return children_of(t.path).size() == 2; });
    other_side.open();
    t.run_spawned();
    t.run_until([&] { return children_of(t.path).size() == 1; });
    CHECK(held.is_held());
}

TEST_CASE("a caller of with_lock that had widened its cancellation keeps it so") {
    with_lock_stage t;
    asio::cancellation_signal signal;
    bool reached = false;
    error_code code;
    asio::co_spawn(
        t.context,
        [&]() -> asio::awaitable<void> {
            co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
            co_await with_lock(t.lock, []() -> asio::awaitable<void> { co_return; });
            reached = true;
            code = co_await code_of(for_ever());
        },
        asio::bind_cancellation_slot(signal.slot(), [](std::exception_ptr) {}));
    t.run_until([&] { return reached; });
    signal.emit(asio::cancellation_type::total);
    t.run_until([&] { return code.failed(); });
    CHECK(code == aborted);
}
