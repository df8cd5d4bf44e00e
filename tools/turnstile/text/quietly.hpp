// SPDX-License-Identifier: BSL-1.0
// How the coroutines of the command wait.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace turnstile::command {

/// The token of a co_await that returns the error code in a tuple, and throws no exception for it.
inline constexpr auto quietly = boost::asio::as_tuple(boost::asio::use_awaitable);

} // namespace turnstile::command
