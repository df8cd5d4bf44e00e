// SPDX-License-Identifier: BSL-1.0
// The node whose ACL lacks a right.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>

namespace turnstile::command {

/// Returns the path itself. But if it does not exist and CREATE is denied, it returns the nearest
/// node above it that exists.
boost::asio::awaitable<std::string> denied_node(session& own, const error_code& why,
                                                const std::string& path);

} // namespace turnstile::command
