// SPDX-License-Identifier: BSL-1.0
// Checks a session's options before any I/O.
#pragma once

#include "protocol/names/server_list.hpp"

#include <turnstile/error.hpp>
#include <turnstile/options.hpp>

#include <cstddef>
#include <string>

namespace turnstile::detail {

/// Nothing where it can be the path of a lock.
error_code check_path(const std::string& path);

error_code check_options(const session_options& options);
/// Whether one transaction can make so many leases: each carries its path, its data and its rights.
error_code check_leases(const session_options& options, const std::string& path,
                        std::size_t leases);

} // namespace turnstile::detail
