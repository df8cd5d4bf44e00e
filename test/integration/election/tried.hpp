// SPDX-License-Identifier: BSL-1.0
// Errors as values, in coroutines.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace turnstile::test {

inline constexpr auto tried = boost::asio::as_tuple(boost::asio::use_awaitable);

} // namespace turnstile::test
