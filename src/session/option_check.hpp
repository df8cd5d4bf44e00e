// SPDX-License-Identifier: BSL-1.0
// Finds options and arguments that cannot work, before any I/O.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/options.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::detail {

/// Why something is refused. If there is no code, it is not refused.
struct fault {
    error_code code{};
    std::string text{}; // what is wrong, and what is allowed, unless the code says it
};

/// Checks that this can be the path of a node.
fault check_path(const std::string& path);
/// Checks that this can be a lock path.
fault check_lock_path(const std::string& path);

fault check_options(const session_options& options);
/// Checks that this list can replace the server list of the options.
fault check_servers(const std::string& servers, const session_options& of);
/// Checks that one transaction can make this many permits: each has its path, data and rights.
fault check_permits(const session_options& options, const std::string& path, std::size_t count);

/// The size of these entries in a request.
std::size_t bytes_of(const std::vector<acl_entry>& entries);

} // namespace turnstile::detail
