// SPDX-License-Identifier: BSL-1.0
// Sessions on threads of their own, and one that several threads share, all after one lock.
#include "integration/support/cancel_support.hpp"
#include "integration/support/thread_worker.hpp"

using turnstile::mutex;

TEST_CASE("sessions on threads of their own exclude each other") {
    const auto options = options_for();
    const auto path = fresh_path("hammer");
    constexpr int rounds = 100;
    unprotected shared;
    std::atomic<int> fence{0}; // carries what the lock orders to the eyes of a sanitizer
    {
        std::deque<worker> workers(3);
        std::vector<std::future<void>> done;
        for (auto& w : workers)
            done.push_back(asio::co_spawn(
                w.context,
                [&]() -> asio::awaitable<void> {
                    session s{w.context, options};
                    mutex lock{s, path};
                    for (int i = 0; i < rounds; ++i) {
                        auto held = co_await lock.acquire();
                        static_cast<void>(fence.load(std::memory_order_acquire));
                        shared.enter(held);
                        shared.leave();
                        fence.fetch_add(1, std::memory_order_release);
                        if (i % 2)
                            co_await held.release();
                    }
                    co_await s.close();
                },
                asio::use_future));
        get(done);
    }
    CHECK(shared.ok);
    CHECK(shared.entries == 3 * rounds);
    CHECK(children_of(path).empty());
}

TEST_CASE("one session serves coroutines on several threads") {
    const auto options = options_for();
    const auto path = fresh_path("shared-session");
    constexpr int coroutines = 8;
    constexpr int rounds = 40;
    unprotected shared;
    {
        worker w{3};
        session s{w.context, options};
        mutex lock{s, path};
        std::vector<std::future<void>> done;
        for (int c = 0; c < coroutines; ++c)
            done.push_back(asio::co_spawn(
                asio::make_strand(w.context),
                [&]() -> asio::awaitable<void> {
                    mutex own{s, path};
                    for (int i = 0; i < rounds; ++i) {
                        auto held = co_await (i % 2 ? own : lock).acquire();
                        shared.enter(held);
                        shared.leave();
                        if (i % 3)
                            co_await held.release();
                    }
                },
                asio::use_future));
        get(done);
        auto close = s.close(asio::use_future);
        close.wait();
    }
    CHECK(shared.ok);
    CHECK(shared.entries == coroutines * rounds);
    CHECK(children_of(path).empty());
}

TEST_CASE("acquires on one session are cancelled from several threads") {
    const auto options = options_for();
    const auto path = fresh_path("shared-cancel");
    std::atomic<int> granted{0};
    std::atomic<int> cancelled{0};
    std::atomic<int> other{0};
    constexpr int coroutines = 6;
    constexpr int rounds = 60;
    {
        worker w{3};
        session s{w.context, options};
        std::vector<std::future<void>> done;
        for (int c = 0; c < coroutines; ++c)
            done.push_back(asio::co_spawn(
                asio::make_strand(w.context),
                [&, c]() -> asio::awaitable<void> {
                    mutex own{s, path};
                    const auto strand = co_await asio::this_coro::executor;
                    asio::steady_timer timer{strand};
                    for (int i = 0; i < rounds; ++i) {
                        asio::cancellation_signal signal;
                        bool over = false;
                        own.acquire(asio::bind_cancellation_slot(
                            signal.slot(),
                            asio::bind_executor(strand, [&](error_code code, held_lock held) {
                                ++(held ? granted : code == aborted ? cancelled : other);
                                over = true;
                                timer.cancel();
                            })));
                        timer.expires_after(std::chrono::microseconds{200 * ((i + c) % 8)});
                        try {
                            co_await timer.async_wait(asio::use_awaitable);
                        } catch (const boost::system::system_error&) {
                        }
                        if (!over)
                            signal.emit(asio::cancellation_type::total);
                        while (!over) {
                            timer.expires_after(std::chrono::milliseconds{1});
                            try {
                                co_await timer.async_wait(asio::use_awaitable);
                            } catch (const boost::system::system_error&) {
                            }
                        }
                    }
                },
                asio::use_future));
        get(done);
        mutex last{s, path};
        auto held = last.acquire(asio::use_future).get();
        CHECK(held.is_held());
        held.release(asio::use_future).get();
        s.close(asio::use_future).get();
    }
    CHECK(granted + cancelled == coroutines * rounds);
    CHECK(other == 0);
    CHECK(children_of(path).empty());
}

TEST_CASE("a lock is handed to another thread and released there") {
    const auto options = options_for();
    const auto path = fresh_path("moved-thread");
    worker w;
    session s{w.context, options};
    mutex lock{s, path};
    for (int i = 0; i < 20; ++i) {
        auto held = lock.acquire(asio::use_future).get();
        std::thread other{[moved = std::move(held), i]() mutable {
            if (!moved.is_held())
                return;
            if (i % 2)
                moved.release(asio::use_future).get();
        }};
        other.join();
    }
    s.close(asio::use_future).get();
    CHECK(children_of(path).empty());
}

TEST_CASE("mutexes and waits for a loss come and go on several threads") {
    const auto options = options_for();
    const auto path = fresh_path("churn");
    {
        worker w{3};
        session s{w.context, options};
        std::vector<std::future<void>> done;
        for (int c = 0; c < 6; ++c)
            done.push_back(asio::co_spawn(
                asio::make_strand(w.context),
                [&]() -> asio::awaitable<void> {
                    for (int i = 0; i < 30; ++i) {
                        mutex own{s, path};
                        own.acquire([](error_code, held_lock) {}); // cancelled with `own`, or not
                        mutex kept{s, path};
                        auto held = co_await kept.acquire();
                        held.wait_lost([](error_code) {});
                        static_cast<void>(s.state());
                        static_cast<void>(s.id());
                        static_cast<void>(held.deadline());
                    }
                },
                asio::use_future));
        get(done);
        s.close(asio::use_future).get();
    }
    CHECK(children_of(path).empty());
}

TEST_CASE("a session is destroyed while other threads use it") {
    const auto options = options_for();
    const auto path = fresh_path("destroyed-threads");
    std::atomic<int> completed{0};
    constexpr int rounds = 30;
    constexpr int acquires = 10;
    {
        worker w{3};
        for (int i = 0; i < rounds; ++i) {
            auto s = std::make_optional<session>(w.context, options);
            mutex lock{*s, path};
            for (int k = 0; k < acquires; ++k)
                lock.acquire([&](error_code, held_lock) { ++completed; });
            if (i % 3)
                s->connect(asio::use_future).wait();
            s.reset();
        }
    }
    CHECK(completed == rounds * acquires);
    await_empty(path);
}
