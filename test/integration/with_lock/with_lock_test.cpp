// SPDX-License-Identifier: BSL-1.0
// with_lock: what it returns, what it throws, and that it always releases.
#include "integration/support/cancel_support.hpp"

#include "support/foreign_client.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/system/system_error.hpp>

namespace {

// Neither copyable nor default constructible.
struct only_movable {
    explicit only_movable(int v) : value{std::make_unique<int>(v)} {}
    std::unique_ptr<int> value;
};

struct guarded_stage : fixture {
    std::string path = fresh_path("with-lock");
    session s{context, options_for()};
    mutex lock{s, path};
};

} // namespace

TEST_CASE("with_lock returns what the coroutine returns") {
    guarded_stage t;
    t.run([&]() -> asio::awaitable<void> {
        const int number =
            co_await with_lock(t.lock, []() -> asio::awaitable<int> { co_return 42; });
        CHECK(number == 42);
        const auto text =
            co_await with_lock(t.lock, [](held_lock& held) -> asio::awaitable<std::string> {
                CHECK(held.is_held());
                CHECK(held.fencing_token() > fencing_token{});
                co_return "text";
            });
        CHECK(text == "text");
        const auto moved = co_await with_lock(
            t.lock, []() -> asio::awaitable<only_movable> { co_return only_movable{7}; });
        CHECK(*moved.value == 7);
        bool ran = false;
        co_await with_lock(t.lock, [&]() -> asio::awaitable<void> {
            ran = true;
            co_return;
        });
        CHECK(ran);
    });
    CHECK(children_of(t.path).empty()); // the release was answered
}

TEST_CASE("with_lock takes a function that can only be moved, and keeps it") {
    guarded_stage t;
    t.run([&]() -> asio::awaitable<void> {
        // With a name, because GCC 12 destroys a temporary closure in a co_await twice.
        auto function = [owned = std::make_unique<int>(5)](held_lock&) -> asio::awaitable<int> {
            asio::steady_timer moment{co_await asio::this_coro::executor,
                                      std::chrono::milliseconds{1}};
            co_await moment.async_wait(asio::use_awaitable);
            co_return *owned;
        };
        const auto value = co_await with_lock(t.lock, std::move(function));
        CHECK(value == 5);
    });
}

TEST_CASE("with_lock holds the lock while the coroutine runs and not before or after") {
    guarded_stage t;
    session other{t.context, options_for()};
    mutex theirs{other, t.path};
    auto held = acquire_now(t, theirs);
    bool inside = false;
    bool leave = false;
    t.spawn([&]() -> asio::awaitable<void> {
        co_await with_lock(t.lock, [&]() -> asio::awaitable<void> {
            inside = true;
            asio::steady_timer timer{co_await asio::this_coro::executor};
            while (!leave) {
                timer.expires_after(std::chrono::milliseconds{1});
                co_await timer.async_wait(asio::use_awaitable);
            }
        });
        inside = false;
    });
    t.run_until([&] { return children_of(t.path).size() == 2; });
    CHECK_FALSE(inside);
    release_now(t, held);
    t.run_until([&] { return inside; });
    CHECK(result_of(t, [&](auto token) { theirs.try_acquire(std::move(token)); }) ==
          error::would_block);
    leave = true;
    t.run_spawned();
    held = acquire_now(t, theirs);
    CHECK(held.is_held());
}

TEST_CASE("with_lock passes an exception on after the release") {
    guarded_stage t;
    std::string caught;
    t.run([&]() -> asio::awaitable<void> {
        try {
            co_await with_lock(t.lock, []() -> asio::awaitable<int> {
                asio::steady_timer moment{co_await asio::this_coro::executor,
                                          std::chrono::milliseconds{1}};
                co_await moment.async_wait(asio::use_awaitable);
                throw std::runtime_error("mine");
            });
        } catch (const std::runtime_error& e) {
            caught = e.what();
            CHECK(children_of(t.path).empty());
        }
    });
    CHECK(caught == "mine");
    t.run([&]() -> asio::awaitable<void> {
        CHECK_THROWS_AS(co_await with_lock(t.lock,
                                           []() -> asio::awaitable<void> {
                                               throw std::logic_error("at once");
                                               co_return;
                                           }),
                        std::logic_error);
    });
    CHECK(children_of(t.path).empty());
}

namespace {

// Ends only by cancellation; `told` hears of it on the thread that cancels.
template <class Told>
asio::awaitable<void> until_cancelled(Told told) {
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void(error_code)>(
        [&](auto handler) {
            auto slot = asio::get_associated_cancellation_slot(handler);
            auto kept = std::make_shared<decltype(handler)>(std::move(handler));
            slot.assign([told, kept, executor](asio::cancellation_type_t) {
                told();
                asio::post(executor, [kept] { (*kept)(asio::error::operation_aborted); });
            });
        },
        asio::use_awaitable);
}

} // namespace

TEST_CASE("with_lock cancels a coroutine on the coroutine's own executor") {
    asio::io_context elsewhere;
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("with-lock-executor")};
    bool inside = false;
    int cancelled = 0;
    error_code loss;
    f.spawn_on(elsewhere.get_executor(), [&]() -> asio::awaitable<void> {
        try {
            co_await with_lock(lock, [&]() -> asio::awaitable<void> {
                inside = true;
                co_await until_cancelled([&] {
                    ++cancelled;
                    CHECK(elsewhere.get_executor().running_in_this_thread());
                    CHECK_FALSE(f.context.get_executor().running_in_this_thread());
                });
            });
        } catch (const boost::system::system_error& e) {
            loss = e.code();
        }
    });
    const auto turn = [&] {
        elsewhere.restart();
        elsewhere.poll();
    };
    f.run_until([&] {
        turn();
        return inside;
    });
    s.close([](error_code) {});
    f.run_until([&] {
        turn();
        return loss == condition::lock_lost;
    });
    CHECK(cancelled == 1);
}

TEST_CASE("a coroutine under with_lock may release the lock and go on") {
    fixture f;
    const auto path = fresh_path("with-lock-early");
    session s{f.context, options_for()};
    session other{f.context, options_for()};
    mutex lock{s, path};
    mutex theirs{other, path};
    int result = 0;
    f.run([&]() -> asio::awaitable<void> {
        result = co_await with_lock(lock, [&](held_lock& held) -> asio::awaitable<int> {
            co_await held.release();
            auto next = co_await theirs.acquire(); // awaits, and is not cancelled
            CHECK(next.is_held());
            co_await next.release();
            co_return 7;
        });
    });
    CHECK(result == 7);
    CHECK(children_of(path).empty());
}

TEST_CASE("a coroutine that ends under with_lock has its result, also where nobody hears of the "
          "release") {
    const bool throws = GENERATE(false, true);
    fixture f;
    frame_proxy proxy{shared_server().port()};
    auto options = options_for(proxy.address());
    options.connect_timeout = std::chrono::milliseconds{300};
    options.log.level = log_level::none; // the close is not answered
    session s{f.context, options};
    mutex lock{s, fresh_path("with-lock-unanswered")};
    probe releasing;
    error_code code;
    bool passed_on = false;
    f.spawn([&]() -> asio::awaitable<void> {
        try {
            co_await with_lock(lock, [&](held_lock& held) -> asio::awaitable<void> {
                held.wait_lost(releasing.make());
                proxy.set_black_hole(true);
                if (throws)
                    throw std::logic_error("mine");
                co_return;
            });
        } catch (const boost::system::system_error& e) {
            code = e.code();
        } catch (const std::logic_error&) {
            passed_on = true;
        }
    });
    CHECK(end_of(f, releasing) == error::released);
    s.close([](error_code) {});
    f.run_spawned();
    CHECK(passed_on == throws);
    CHECK(code == error_code{});
}

TEST_CASE("with_lock tells that the release was denied, unless the coroutine threw") {
    const bool throws = GENERATE(false, true);
    guarded_stage t;
    constexpr int all_but_delete = 31 & ~8;
    error_code code;
    t.run([&]() -> asio::awaitable<void> {
        try {
            co_await with_lock(t.lock, [&]() -> asio::awaitable<void> {
                foreign_client other{shared_server().address()};
                REQUIRE(other.set_acl(t.path, {{"world", "anyone", all_but_delete}}) == 0);
                if (throws)
                    throw boost::system::system_error(aborted);
                co_return;
            });
        } catch (const boost::system::system_error& e) {
            code = e.code();
        }
    });
    CHECK(code == (throws ? aborted : error_code{error::release_denied}));
}
