// SPDX-License-Identifier: BSL-1.0
// Runs a session and a coroutine that works with it: all that a main function has to call.
#pragma once

#include <turnstile/detail/run_under_lock.hpp>
#include <turnstile/options.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

namespace turnstile {

/**
 * @brief Makes a session, and runs a coroutine that works with it.
 *
 *     turnstile::run_with_session({.servers = "zk1,zk2,zk3"}, work);
 *
 * `work` is called with the session as an lvalue, and returns an `asio::awaitable<T>`. It runs on
 * an `io_context` of this thread. When it ends, the session is closed, which releases its locks. If
 * no server answers for `close_limit`, the session is left to expire. Other coroutines on the
 * context are not awaited, but destroyed: `work` must await those that have to end by themselves.
 * Returns the coroutine's result, or throws its exception.
 */
template <class Function>
auto run_with_session(session_options options, Function work,
                      std::chrono::milliseconds close_limit = std::chrono::seconds(3)) {
    namespace asio = boost::asio;
    using result = typename detail::awaited<std::invoke_result_t<Function&, session&>>::type;
    asio::io_context context(1);
    session own(context, std::move(options));
    detail::outcome<result> done;
    const auto run = [&]() -> asio::awaitable<void> {
        if constexpr (std::is_void_v<result>)
            co_await std::invoke(work, own);
        else
            done.value.emplace(co_await std::invoke(work, own));
    };
    asio::co_spawn(context, run(), [&](std::exception_ptr failure) {
        done.error = std::move(failure);
        context.stop();
    });
    context.run();
    own.close([&](error_code) { context.stop(); });
    context.restart();
    context.run_for(close_limit);
    if (done.error)
        std::rethrow_exception(done.error);
    return done.get();
}

} // namespace turnstile
