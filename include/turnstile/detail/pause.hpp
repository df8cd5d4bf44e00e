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
#include <memory>
#include <utility>

namespace turnstile::detail {

/// A random number. Under the test kit it comes from the kit's seed, so that a run can be repeated.
TURNSTILE_API std::uint64_t random_word(boost::asio::execution_context& context);

/// A timer of Asio behind a pointer, so that users do not compile the headers of Asio's timers.
class pause_timer {
public:
    TURNSTILE_API explicit pause_timer(const boost::asio::any_io_executor& where);
    TURNSTILE_API ~pause_timer();
    pause_timer(const pause_timer&) = delete;
    pause_timer& operator=(const pause_timer&) = delete;

    /// Calls `done` after this span, or when it is cancelled.
    TURNSTILE_API void start(std::chrono::nanoseconds span,
                             boost::asio::any_completion_handler<void(error_code)> done);

private:
    struct timer;

    const std::shared_ptr<timer> timer_;
};

/// Pauses the coroutine. Throws operation_aborted if the coroutine was cancelled meanwhile.
template <class Executor>
boost::asio::awaitable<void, Executor> pause_for(std::chrono::nanoseconds span) {
    namespace asio = boost::asio;
    pause_timer timer(co_await asio::this_coro::executor);
    auto token = asio::as_tuple(asio::use_awaitable_t<Executor>{});
    co_await asio::async_initiate<decltype(token), void(error_code)>(
        [&](auto done) { timer.start(span, std::move(done)); }, token);
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
}

} // namespace turnstile::detail
