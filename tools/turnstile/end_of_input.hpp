// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/awaitable.hpp>

namespace turnstile::command {

/// Until the standard input has ended. What is in it is dropped.
boost::asio::awaitable<void> end_of_input();

} // namespace turnstile::command
