// SPDX-License-Identifier: BSL-1.0
// with_lock with each way to acquire, and on which executor its coroutine runs.
#include "integration/with_lock/with_lock_stage.hpp"

static_assert(lockable<mutex>);
static_assert(lockable<shared_mutex>);
static_assert(!lockable<session>);
static_assert(!lockable<int>);
static_assert(acquire_operation<decltype(std::declval<shared_mutex&>().shared().acquire())>);
static_assert(!acquire_operation<decltype(std::declval<session&>().connect())>);
static_assert(!acquire_operation<mutex>);

namespace {

asio::awaitable<int> seven() { co_return 7; }

bool is_strand(const asio::any_io_executor& executor) {
    return executor.target<asio::strand<asio::any_io_executor>>() != nullptr ||
           executor.target<asio::strand<asio::io_context::executor_type>>() != nullptr;
}

} // namespace

TEST_CASE("with_lock takes each kind of lock and each way to acquire it") {
    fixture f;
    session s{f.context, options_for()};
    session other{f.context, options_for()};
    mutex plain{s, fresh_path("with-lock-forms")};
    shared_mutex readers{s, plain.path()};
    mutex theirs{other, plain.path()};
    multi_lock both{plain, mutex{s, plain.path() + "-second"}};
    std::vector<int> results;
    std::vector<error_code> codes;
    f.run([&]() -> asio::awaitable<void> {
        results.push_back(co_await with_lock(plain, seven));
        results.push_back(co_await with_lock(plain.try_acquire(), seven));
        results.push_back(co_await with_lock(plain.acquire_for(10s), seven));
        results.push_back(co_await with_lock(readers, seven));
        results.push_back(co_await with_lock(readers.shared(), seven));
        results.push_back(co_await with_lock(readers.shared().acquire(), seven));
        results.push_back(co_await with_lock(both, seven));
        results.push_back(co_await with_lock(both.acquire_for(10s), seven));
        auto held = co_await theirs.acquire();
        codes.push_back(co_await code_of(with_lock(plain.try_acquire(), seven)));
        codes.push_back(co_await code_of(with_lock(plain.acquire_for(1ms), seven)));
        codes.push_back(co_await code_of(with_lock(plain.acquire_for(0s), seven)));
        co_await held.release();
    });
    CHECK(results == std::vector<int>(8, 7));
    CHECK(codes == std::vector<error_code>{error::would_block, error::timeout, error::timeout});
    // The tickets of those that gave up are deleted after they were told.
    f.run_until([&] { return children_of(plain.path()).empty(); });
}

TEST_CASE("try_with_lock says whether it ran, and is no error where others have the lock") {
    fixture f;
    session s{f.context, options_for()};
    session other{f.context, options_for()};
    shared_mutex ours{s, fresh_path("try-with-lock")};
    shared_mutex theirs{other, ours.path()};
    int ran = 0;
    const auto count = [&]() -> asio::awaitable<void> {
        ++ran;
        co_return;
    };
    f.run([&]() -> asio::awaitable<void> {
        const bool free = co_await try_with_lock(ours, count);
        CHECK(free);
        CHECK(ran == 1);
        const auto value = co_await try_with_lock(ours, seven);
        CHECK(value == 7);
        auto held = co_await theirs.shared().acquire();
        auto read = co_await try_with_lock(ours.shared(), seven);
        CHECK(read == 7);
        read = co_await try_with_lock(ours.shared().try_acquire(), seven);
        CHECK(read == 7);
        const bool taken = co_await try_with_lock(ours, count);
        CHECK_FALSE(taken);
        CHECK(ran == 1);
        const auto nothing = co_await try_with_lock(ours, seven);
        CHECK_FALSE(nothing);
        co_await held.release();
        co_await s.close();
        const auto code = co_await code_of(try_with_lock(ours, count));
        CHECK(code == error::session_closed);
    });
}

TEST_CASE("an acquire that fails under with_lock says why and the path, and calls nothing") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, "/locks//bad"};
    std::string path;
    bool called = false;
    f.run([&]() -> asio::awaitable<void> {
        try {
            co_await with_lock(lock, [&]() -> asio::awaitable<void> {
                called = true;
                co_return;
            });
        } catch (const error_with_diagnostics& e) {
            CHECK(e.code() == error::bad_path);
            path = e.details().path;
        }
    });
    CHECK(path == "/locks//bad");
    CHECK_FALSE(called);
}

TEST_CASE("with_lock runs its coroutine on a strand of its own, unless told otherwise") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("with-lock-strand")};
    std::vector<bool> strands;
    const auto note = [&]() -> asio::awaitable<void> {
        strands.push_back(is_strand(co_await asio::this_coro::executor));
    };
    f.run([&]() -> asio::awaitable<void> {
        const auto here = co_await asio::this_coro::executor;
        strands.push_back(is_strand(here));
        co_await with_lock(lock, note);
        co_await with_lock(here, lock, note);
        co_await with_lock(here, lock.try_acquire(), note);
        co_await with_lock(f.context.get_executor(), lock, note);
        co_await with_lock(asio::make_strand(f.context), lock, note);
        co_await with_lock(asio::make_strand(here), lock.acquire(), note);
        strands.push_back(is_strand(co_await asio::this_coro::executor)); // back where it was
    });
    CHECK(strands == std::vector<bool>{false, true, false, false, false, true, true, false});
}

TEST_CASE("a loss cancels coroutines under with_lock on a pool of threads") {
    constexpr int users = 40;
    asio::thread_pool pool{4};
    session s{pool, quiet({})};
    std::vector<mutex> locks;
    for (int i = 0; i < users; ++i)
        locks.emplace_back(s, fresh_path("with-lock-pool"));
    std::atomic<int> inside = 0;
    std::vector<std::future<error_code>> ends;
    for (auto& lock : locks)
        ends.push_back(asio::co_spawn(pool,
                                      code_of(with_lock(lock,
                                                        [&inside]() -> asio::awaitable<void> {
                                                            if (++inside == users)
                                                                inside.notify_all();
                                                            co_await for_ever();
                                                        })),
                                      asio::use_future));
    for (int now = inside; now != users; now = inside)
        inside.wait(now);
    s.close([](error_code) {});
    for (auto& end : ends) {
        REQUIRE(end.wait_for(fixture::default_limit) == std::future_status::ready);
        CHECK(end.get() == condition::lock_lost);
    }
    pool.join();
}

TEST_CASE("a cancelled caller on a pool of threads gets its coroutine and its lock back") {
    constexpr int rounds = 100;
    asio::thread_pool pool{4};
    session s{pool, options_for()};
    mutex lock{s, fresh_path("with-lock-cancel")};
    int cancelled = 0;
    for (int i = 0; i < rounds; ++i) {
        const auto caller = asio::make_strand(pool); // whoever is cancelled needs one
        asio::cancellation_signal cancel;
        std::promise<void> inside;
        auto end =
            asio::co_spawn(caller,
                           code_of(with_lock(lock,
                                             [&]() -> asio::awaitable<void> {
                                                 inside.set_value();
                                                 for (;;) // between suspensions, and not
                                                     co_await asio::post(asio::use_awaitable);
                                             })),
                           asio::bind_cancellation_slot(cancel.slot(), asio::use_future));
        inside.get_future().wait();
        asio::post(caller, [&] { cancel.emit(asio::cancellation_type::terminal); });
        REQUIRE(end.wait_for(fixture::default_limit) == std::future_status::ready);
        cancelled += end.get() == aborted;
    }
    CHECK(cancelled == rounds);
    s.close([](error_code) {});
    pool.join();
}
