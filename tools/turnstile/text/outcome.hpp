// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace turnstile::command {

/// The exception that the work ends with; none if it returns. For an operand of Asio's `||`, which
/// goes on waiting for the others if one throws.
inline boost::asio::awaitable<std::exception_ptr> outcome_of(boost::asio::awaitable<void> work) {
    try {
        co_await std::move(work);
    } catch (...) {
        co_return std::current_exception();
    }
    co_return nullptr;
}

inline boost::asio::awaitable<void> pause_until(boost::asio::steady_timer::time_point end) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, end);
    co_await timer.async_wait(boost::asio::use_awaitable);
}

inline boost::asio::awaitable<void> pause_for(boost::asio::steady_timer::duration time) {
    return pause_until(boost::asio::steady_timer::clock_type::now() + time);
}

/// For an operand of `||` that must not end by itself.
inline boost::asio::awaitable<void> never() {
    return pause_until(boost::asio::steady_timer::time_point::max());
}

} // namespace turnstile::command
