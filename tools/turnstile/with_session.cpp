// SPDX-License-Identifier: BSL-1.0
#include "with_session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

// Where no server can be reached the session is left to expire.
constexpr std::chrono::seconds close_limit{3};

asio::awaitable<void> close(session& which) {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer limit(which.get_executor(), close_limit);
    co_await (which.close(asio::as_tuple(asio::use_awaitable)) ||
              limit.async_wait(asio::as_tuple(asio::use_awaitable)));
}

asio::awaitable<int> work_and_close(session& which,
                                    const std::function<asio::awaitable<int>(session&)>& work) {
    int result = 0;
    std::exception_ptr failure;
    try {
        result = co_await work(which);
    } catch (...) {
        failure = std::current_exception();
    }
    co_await close(which);
    if (failure)
        std::rethrow_exception(failure);
    co_return result;
}

} // namespace

int with_session(const session_options& how,
                 const std::function<asio::awaitable<int>(session&)>& work) {
    asio::io_context context(1);
    session own(context, how);
    int result = 0;
    std::exception_ptr failure;
    asio::co_spawn(context, work_and_close(own, work), [&](std::exception_ptr thrown, int code) {
        failure = thrown;
        result = code;
        context.stop();
    });
    context.run();
    if (failure)
        std::rethrow_exception(failure);
    return result;
}

} // namespace turnstile::command
