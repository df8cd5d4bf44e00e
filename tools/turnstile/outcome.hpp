// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <utility>

namespace turnstile::command {

/// The exception that the work ends with; none if it returns. For an operand of Asio's `||`, which
/// goes on waiting for the others where one throws.
inline boost::asio::awaitable<std::exception_ptr> outcome_of(boost::asio::awaitable<void> work) {
    try {
        co_await std::move(work);
    } catch (...) {
        co_return std::current_exception();
    }
    co_return nullptr;
}

} // namespace turnstile::command
