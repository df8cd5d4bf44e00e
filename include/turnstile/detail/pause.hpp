// SPDX-License-Identifier: BSL-1.0
// A pause of a coroutine. Under the test kit it is in modelled time.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/error.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace turnstile::detail {

/// A random number. Under the test kit it comes from the kit's seed, so that a run can be repeated.
TURNSTILE_API std::uint64_t random_word(boost::asio::execution_context& context);

/// Calls `done` after this span, or when its slot cancels the pause. (The library has the timer, so
/// users do not compile the headers of Asio's timers.)
TURNSTILE_API void start_pause(const boost::asio::any_io_executor& where,
                               std::chrono::nanoseconds span,
                               boost::asio::any_completion_handler<void(error_code)> done);

/// Pauses the coroutine. Throws operation_aborted if the coroutine was cancelled meanwhile.
template <class Executor>
boost::asio::awaitable<void, Executor> pause_for(std::chrono::nanoseconds span) {
    namespace asio = boost::asio;
    const asio::any_io_executor where = co_await asio::this_coro::executor;
    auto token = asio::as_tuple(asio::use_awaitable_t<Executor>{});
    co_await asio::async_initiate<decltype(token), void(error_code)>(
        [&](auto done) { start_pause(where, span, std::move(done)); }, token);
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
}

} // namespace turnstile::detail
