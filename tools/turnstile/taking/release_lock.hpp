// SPDX-License-Identifier: BSL-1.0
// The release of a lock by a command that wants to end.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/held_lock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace turnstile::command {

/// Releases the lock, and gives up after four seconds. It makes the timer `limit`: a caller that
/// cancels this timer ends the wait. `timeout`: the session timeout, for a message. Returns the
/// error which shows that the lock was lost before; none: it was not, as far as is known.
boost::asio::awaitable<error_code> release_lock(held_lock& lock, std::string path,
                                                std::chrono::milliseconds timeout,
                                                std::optional<boost::asio::steady_timer>& limit);

} // namespace turnstile::command
