// SPDX-License-Identifier: BSL-1.0
// with_lock in coroutines whose executor has a type of its own.
#include <turnstile.hpp>

#include "support/pch.hpp"

namespace asio = boost::asio;
using namespace turnstile;

namespace {

// What comes out of with_lock in a coroutine on this executor, with a session that refuses all.
template <class Executor, class T>
error_code refusal_on(asio::io_context& context, const Executor& executor) {
    session_options bad;
    bad.timeout = std::chrono::milliseconds{0};
    session s{context, bad};
    mutex lock{s, "/l"};
    error_code told;
    auto user = [&]() -> asio::awaitable<T, Executor> {
        co_return co_await with_lock(lock, [](held_lock&) -> asio::awaitable<T, Executor> {
            FAIL("nobody has the lock");
            co_return T();
        });
    };
    asio::co_spawn(executor, user(), [&](const std::exception_ptr& error, auto&&...) {
        try {
            std::rethrow_exception(error);
        } catch (const boost::system::system_error& e) {
            told = e.code();
        }
    });
    context.run();
    return told;
}

} // namespace

TEST_CASE("with_lock runs in a coroutine of any executor") {
    asio::io_context context;
    using plain = asio::io_context::executor_type;
    CHECK(refusal_on<plain, int>(context, context.get_executor()) == error::bad_options);
    context.restart();
    CHECK(refusal_on<asio::strand<plain>, std::string>(context, asio::make_strand(context)) ==
          error::bad_options);
    context.restart();
    CHECK(refusal_on<asio::any_io_executor, int>(context, context.get_executor()) ==
          error::bad_options);
}
