// SPDX-License-Identifier: BSL-1.0
// From the protocol's failures to error codes.
#pragma once

#include "protocol/wire/failure.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <turnstile/error.hpp>

namespace turnstile::detail {

error_code to_error_code(protocol::failure why,
                         protocol::zookeeper_code code = protocol::zookeeper_code::ok);

} // namespace turnstile::detail
