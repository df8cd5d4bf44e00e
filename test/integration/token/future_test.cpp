// SPDX-License-Identifier: BSL-1.0
// Futures: the context runs on another thread, and this one may block.
#include "integration/support/fixture.hpp"

#include "support/pch.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <stdexcept>
#include <thread>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

// A context that a thread runs until the work is done.
struct background {
    asio::io_context context;
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::jthread thread{[this] { context.run(); }};

    ~background() { work.reset(); }
};

template <class T>
T get(std::future<T> future) {
    if (future.wait_for(fixture::default_limit) != std::future_status::ready)
        throw std::runtime_error("the future is not ready");
    return future.get();
}

// A future of the bare code, for an exception that crosses threads looks like a race to a
// sanitizer: libstdc++ counts its owners in code that is not instrumented.
const auto code_future =
    asio::use_future([](error_code code, const auto&... /*nothing*/) { return code; });

} // namespace

TEST_CASE("every operation takes use_future") {
    const auto options = options_for();
    const auto path = fresh_path("future");
    background b;
    session s{b.context, options};
    mutex lock{s, path};
    CHECK(get(s.wait_state_change(session_state::closed, asio::use_future)) == session_state::idle);
    get(s.connect(asio::use_future));
    auto held = get(lock.acquire(asio::use_future));
    CHECK(held.is_held());
    CHECK_FALSE(get(lock.try_acquire(asio::use_future)));
    CHECK(get(lock.acquire_for(std::chrono::milliseconds{1}, code_future)) == error::timeout);
    auto lost = held.wait_lost(code_future);
    get(held.release(asio::use_future));
    CHECK(get(std::move(lost)) == error::released);
    CHECK(children_of(path).empty());
    CHECK(get(held.release(code_future)) == error::not_held);
    CHECK(get(held.wait_lost(code_future)) == error::not_held);
    get(s.close(asio::use_future));
    CHECK(get(lock.acquire(code_future)) == error::session_closed);
}

TEST_CASE("a future of an operation may be dropped") {
    const auto options = options_for();
    const auto path = fresh_path("future-dropped");
    background b;
    session s{b.context, options};
    mutex lock{s, path};
    static_cast<void>(lock.acquire(asio::use_future)); // its lock is destroyed with its state
    auto held = get(lock.acquire(asio::use_future));
    CHECK(held.is_held());
    get(held.release(asio::use_future));
    get(s.close(asio::use_future));
    CHECK(children_of(path).empty());
}
