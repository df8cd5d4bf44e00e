// SPDX-License-Identifier: BSL-1.0
// Turns failures of the protocol into error codes.
#pragma once

#include "protocol/wire/failure.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <turnstile/error.hpp>

#include <boost/asio/error.hpp>

namespace turnstile::detail {

/// Returns the error code that the user sees. `code`: what the server answered, if it refused.
inline error_code to_error_code(protocol::failure why,
                                protocol::zookeeper_code code = protocol::zookeeper_code::ok) {
    using protocol::failure;
    if (why == failure::none)
        return {};
    // A part of a multi_lock may be taken back, or find its path renewed. The multi_lock goes on
    // after that, and its user sees neither code.
    if (why == failure::cancelled || why == failure::taken_back)
        return boost::asio::error::operation_aborted;
    if (why == failure::path_renewed)
        return error::path_unstable;
    if (why != failure::server_error)
        return static_cast<error>(why);
    if (code == protocol::zookeeper_code::too_large)
        return error::request_too_large;
    if (code == protocol::zookeeper_code::ok) // a failure must never read as a success
        code = protocol::zookeeper_code::system_error;
    return {static_cast<int>(code), zookeeper_category()};
}

} // namespace turnstile::detail
