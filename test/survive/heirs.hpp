// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "survive_options.hpp"

#include "support/ensemble.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::survive {

/// The life of a process that is to be killed while it holds the lock: takes it, and keeps it.
boost::asio::awaitable<void> hold_until_killed(session& s, std::string path);

/// Has so many processes of this program take a lock each, kills them at any moment, and returns
/// how long each of those who waited next in line was then still without the lock. On the main
/// thread. Throws std::runtime_error.
std::vector<std::chrono::nanoseconds> kill_holders(const survive_options& how,
                                                   const std::string& program,
                                                   const test::ensemble& servers, std::size_t round,
                                                   std::size_t count);

} // namespace turnstile::survive
