// SPDX-License-Identifier: BSL-1.0
// Which node's ACL a right is missing in.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>

namespace turnstile::command {

/// The path; or, where CREATE is denied because it is missing, the nearest node above it that is
/// there.
boost::asio::awaitable<std::string> denied_node(session& own, const error_code& why,
                                                const std::string& path);

} // namespace turnstile::command
