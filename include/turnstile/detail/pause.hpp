// SPDX-License-Identifier: BSL-1.0
// A pause of a coroutine, in the test kit's time where the context has a test kit.
#pragma once

#include <turnstile/detail/export.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace turnstile::detail {

/// Drawn by chance; the test kit has a seed for it.
TURNSTILE_API std::uint64_t random_word(boost::asio::execution_context& context);

/// Calls `due` after so long in the test kit's time. Returns false where there is no test kit.
TURNSTILE_API bool await_test_time(boost::asio::execution_context& context,
                                   std::chrono::nanoseconds span, std::function<void()> due);

template <class Executor>
boost::asio::execution_context& context_of(const Executor& executor) {
    return boost::asio::query(executor, boost::asio::execution::context);
}

template <class Executor>
boost::asio::awaitable<void, Executor> pause_for(std::chrono::nanoseconds span) {
    namespace asio = boost::asio;
    using clock = std::chrono::steady_clock;
    using timer_type = asio::basic_waitable_timer<clock, asio::wait_traits<clock>, Executor>;
    const Executor executor = co_await asio::this_coro::executor;
    const auto timer = std::make_shared<timer_type>(executor, span);
    const auto ring = [weak = std::weak_ptr(timer)] {
        if (const auto still = weak.lock())
            still->cancel();
    };
    if (await_test_time(context_of(executor), span, ring))
        timer->expires_at(clock::time_point::max());
    co_await timer->async_wait(asio::as_tuple(asio::use_awaitable_t<Executor>{}));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
}

} // namespace turnstile::detail
