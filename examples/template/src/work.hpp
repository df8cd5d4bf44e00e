// SPDX-License-Identifier: BSL-1.0
// The work that one replica does at a time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <turnstile.hpp>

/// Takes the lock, works under it, and gives it back. Throws boost::system::system_error where the
/// lock cannot be had.
boost::asio::awaitable<void> work_under_lock(turnstile::mutex& lock);
