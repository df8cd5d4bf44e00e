// SPDX-License-Identifier: BSL-1.0
// The library starts no thread, whatever is asked of it.
#include "integration/support/cancel_support.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_executor.hpp>

#include <filesystem>
#include <iterator>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

std::ptrdiff_t threads() {
    const std::filesystem::directory_iterator tasks{"/proc/self/task"};
    return std::distance(begin(tasks), end(tasks));
}

} // namespace

TEST_CASE("a whole life of a session starts no thread") {
    fixture f;
    const auto before = threads();
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("threads")};
    f.run([&]() -> asio::awaitable<void> {
        co_await s.connect();
        auto held = co_await lock.acquire();
        co_await held.release();
        held = co_await lock.try_acquire();
        held = held_lock{};
        held = co_await lock.acquire_for(std::chrono::seconds{5});
        co_await s.close();
    });
    CHECK(threads() == before);
}

TEST_CASE("operations on a lock that holds nothing start no thread") {
    fixture f;
    const auto before = threads();
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("threads-empty")};
    f.run([&]() -> asio::awaitable<void> {
        auto held = co_await lock.acquire();
        co_await held.release();
        const auto [again] = co_await held.release(asio::as_tuple(asio::use_awaitable));
        CHECK(again == error::not_held);
        const auto [lost] = co_await held.wait_lost(asio::as_tuple(asio::use_awaitable));
        CHECK(lost == error::not_held);
    });
    CHECK(threads() == before);
}

TEST_CASE("a context may be destroyed right after the answer about an empty lock") {
    for (int i = 0; i < 2000; ++i) {
        asio::io_context context;
        held_lock nothing;
        error_code code;
        nothing.release(asio::bind_executor(context, [&](error_code e) { code = e; }));
        context.run();
        REQUIRE(code == error::not_held);
    }
}
