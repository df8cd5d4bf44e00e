// SPDX-License-Identifier: BSL-1.0
// with_lock: what it returns, what it throws, and that it always releases.
#include "integration/support/cancel_support.hpp"

#include "support/foreign_client.hpp"

#include <boost/system/system_error.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

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

TEST_CASE("with_lock runs in a coroutine whose executor has a type of its own") {
    guarded_stage t;
    using executor = asio::io_context::executor_type;
    std::exception_ptr failure;
    std::string got;
    const auto user = [&]() -> asio::awaitable<void, executor> {
        got = co_await with_lock(t.lock,
                                 [](held_lock& held) -> asio::awaitable<std::string, executor> {
                                     CHECK(held.is_held());
                                     co_return "text";
                                 });
    };
    bool done = false;
    asio::co_spawn(t.context.get_executor(), user(), [&](std::exception_ptr error) {
        failure = std::move(error);
        done = true;
    });
    t.run_until([&] { return done; });
    CHECK_FALSE(failure);
    CHECK(got == "text");
    CHECK(children_of(t.path).empty());
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

TEST_CASE("with_lock throws the error of the acquire and never calls the function") {
    fixture f;
    session s{f.context, options_for()};
    mutex bad{s, "bad path"};
    error_code code;
    f.run([&]() -> asio::awaitable<void> {
        try {
            co_await with_lock(bad, []() -> asio::awaitable<void> {
                FAIL("called");
                co_return;
            });
        } catch (const boost::system::system_error& e) {
            code = e.code();
        }
    });
    CHECK(code == error::bad_path);
}

TEST_CASE("with_lock can be nested over two locks") {
    guarded_stage t;
    mutex inner{t.s, fresh_path("with-lock-inner")};
    t.run([&]() -> asio::awaitable<void> {
        const auto sum = co_await with_lock(t.lock, [&]() -> asio::awaitable<int> {
            co_return 1 + co_await with_lock(inner, []() -> asio::awaitable<int> { co_return 2; });
        });
        CHECK(sum == 3);
    });
    CHECK(children_of(t.path).empty());
    CHECK(children_of(inner.path()).empty());
}

TEST_CASE("many coroutines take turns with with_lock") {
    guarded_stage t;
    session other{t.context, options_for()};
    mutex theirs{other, t.path};
    int inside = 0;
    int done = 0;
    for (int i = 0; i < 40; ++i)
        t.spawn([&, i]() -> asio::awaitable<void> {
            co_await with_lock(i % 2 ? t.lock : theirs, [&]() -> asio::awaitable<void> {
                CHECK(++inside == 1);
                asio::steady_timer moment{co_await asio::this_coro::executor,
                                          std::chrono::milliseconds{1}};
                co_await moment.async_wait(asio::use_awaitable);
                --inside;
                ++done;
            });
        });
    t.run_spawned();
    CHECK(done == 40);
}
