// SPDX-License-Identifier: BSL-1.0
// Finds options and arguments that cannot work. These functions do no I/O.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/options.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::detail {

/// What is wrong with an option or an argument, so that it is refused. No code: nothing is wrong.
struct fault {
    error_code code{};
    std::string text{}; // the value, and what is allowed; empty if the code says enough
};

/// Checks that this can be the path of a node.
fault check_path(const std::string& path);
/// Checks that this can be a lock path.
fault check_lock_path(const std::string& path);

/// Returns the first fault of these options.
fault check_options(const session_options& options);
/// Checks that this list can replace the server list of the options.
fault check_servers(const std::string& servers, const session_options& of);
/// Checks that one transaction can make the tickets of this many permits, each with its path, data
/// and rights.
fault check_permits(const session_options& options, const std::string& path, std::size_t count);

/// The bytes that these entries take in a request.
std::size_t bytes_of(const std::vector<acl_entry>& entries);

} // namespace turnstile::detail
