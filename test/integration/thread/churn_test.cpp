// SPDX-License-Identifier: BSL-1.0
// Objects that come, move and go on several threads.
#include "integration/support/cancel_support.hpp"
#include "integration/support/thread_worker.hpp"

#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <future>
#include <optional>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;
using turnstile::mutex;

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
