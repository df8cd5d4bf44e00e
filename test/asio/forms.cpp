// SPDX-License-Identifier: BSL-1.0
// The lock in forms of Asio that few programs use, acquired and released at a real server.
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/version.hpp>
#if BOOST_VERSION >= 108700
#include <boost/asio/cancel_after.hpp>
#endif
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/coro.hpp>
#include <boost/asio/experimental/promise.hpp>
#include <boost/asio/experimental/use_promise.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <turnstile.hpp>
#include <utility>

namespace asio = boost::asio;
using turnstile::error_code;
using turnstile::held_lock;
using turnstile::mutex;

namespace {

void expect(bool holds, const char* what) {
    if (!holds)
        throw std::logic_error(what);
}

/// A coroutine with a stack of its own: the result can be moved only.
void stackful(mutex& lock, asio::yield_context yield) {
    held_lock held = lock.acquire(yield);
    expect(held.is_held(), "spawn: not held");
    error_code failure;
    held_lock second = lock.try_acquire(yield[failure]);
    expect(!failure && !second, "spawn: a try beside a holder is no empty lock");
    held.release(yield);
}

/// The operation starts before anybody waits for it.
asio::awaitable<void> promise(mutex& lock) {
    auto coming = lock.acquire(asio::experimental::use_promise);
#if BOOST_VERSION < 108700 // Boost 1.81 gives an empty value to who waits before it is there
    while (!coming.completed())
        co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
#endif
    auto held = co_await coming(asio::use_awaitable);
    expect(held.is_held(), "use_promise: not held");
    {
        auto dropped = lock.acquire(asio::experimental::use_promise); // its end cancels the wait
    }
    while ((co_await lock.list_participants()).size() != 1) { // else it stands in line for ever
    }
    co_await held.release();
}

asio::experimental::coro<void, void> resumable(asio::any_io_executor, mutex& lock) {
    auto held = co_await lock.acquire();
    expect(held.is_held(), "coro: not held");
    co_await held.release();
}

/// What a structured binding names ends with its scope. gcc 15 is said to leak it: then the next
/// acquire would wait for ever.
asio::awaitable<void> bindings(mutex& lock) {
    {
        auto [code, held] = co_await lock.acquire(asio::as_tuple(asio::deferred));
        expect(!code && held.is_held(), "binding: not held");
    }
    {
        auto got = co_await lock.acquire(asio::as_tuple(asio::deferred));
        auto& [code, held] = got;
        expect(!code && held.is_held(), "binding to a reference: not held");
    }
    auto last = co_await lock.acquire();
    co_await last.release();
}

#if BOOST_VERSION >= 108700
/// A token without an inner token completes by the operation's default.
asio::awaitable<void> partial(mutex& lock) {
    auto [failure, held] = co_await lock.acquire(asio::as_tuple);
    expect(!failure && held.is_held(), "as_tuple: not held");
    const auto executor = co_await asio::this_coro::executor;
    co_await held.release(asio::bind_executor(executor));

    auto first = co_await lock.acquire(asio::cancel_after(std::chrono::minutes(1)));
    expect(first.is_held(), "cancel_after: not held");
    auto [late, none] =
        co_await lock.acquire(asio::cancel_after(std::chrono::milliseconds(1), asio::as_tuple));
    expect(late == asio::error::operation_aborted && !none, "cancel_after: not cancelled");
    co_await first.release();
}
#endif

using form =
    std::function<void(asio::io_context&, mutex&, std::function<void(std::exception_ptr)>)>;

void run(const std::string& server, int hint, const char* name, const form& start) {
    asio::io_context context(hint);
    turnstile::session session{context, {.servers = server}};
    mutex lock{session, "/locks/forms"};
    bool ended = false;
    start(context, lock, [&](std::exception_ptr failure) {
        ended = true;
        session.close(asio::detached);
        if (failure)
            std::rethrow_exception(failure);
    });
    context.run();
    expect(ended, name);
    std::cout << name << '\n';
}

void run_all(const std::string& server) {
    const auto awaited = [](asio::awaitable<void> (*what)(mutex&)) {
        return [what](asio::io_context& context, mutex& lock, auto done) {
            asio::co_spawn(context, what(lock), std::move(done));
        };
    };
    constexpr int one_thread = 1;
    run(server, one_thread, "spawn", [](asio::io_context& context, mutex& lock, auto done) {
        asio::spawn(
            context, [&lock](asio::yield_context yield) { stackful(lock, yield); },
            std::move(done));
    });
    run(server, one_thread, "use_promise", awaited(promise));
    run(server, one_thread, "coro", [](asio::io_context& context, mutex& lock, auto done) {
        const auto started = std::make_shared<asio::experimental::coro<void, void>>(
            resumable(context.get_executor(), lock));
        started->async_resume([started, done](std::exception_ptr failure) { done(failure); });
    });
    run(server, one_thread, "bindings", awaited(bindings));
#if BOOST_VERSION >= 108700
    run(server, one_thread, "partial tokens", awaited(partial));
#endif
    run(server, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO, "unsafe input and output", awaited(promise));
    run(server, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE, "unsafe", awaited(promise));
    run(server, BOOST_ASIO_CONCURRENCY_HINT_SAFE, "safe", awaited(promise));
}

} // namespace

int main(int argc, char** argv) try {
    expect(argc == 2, "usage: forms SERVER");
    run_all(argv[1]);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
