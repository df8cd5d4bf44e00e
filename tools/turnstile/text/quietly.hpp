// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace turnstile::command {

/// A token for coroutines that want the error code, and no exception.
inline constexpr auto quietly = boost::asio::as_tuple(boost::asio::use_awaitable);

} // namespace turnstile::command
