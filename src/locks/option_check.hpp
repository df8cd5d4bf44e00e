// Checks a session's options before any I/O.
#pragma once

#include "protocol/names/server_list.hpp"

#include <turnstile/error.hpp>
#include <turnstile/options.hpp>

namespace turnstile::detail {

error_code check_options(const session_options& options);

} // namespace turnstile::detail
