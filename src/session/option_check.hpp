// SPDX-License-Identifier: BSL-1.0
// Finds what a server would refuse, or what cannot work, before any I/O.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/options.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::detail {

/// Why something is refused: without a code it is not.
struct fault {
    error_code code{};
    std::string text{}; // what is wrong, and what may be, where the code does not say it
};

/// Whether it can be the path of a node.
fault check_path(const std::string& path);
/// Whether it can be that of a lock.
fault check_lock_path(const std::string& path);

fault check_options(const session_options& options);
/// Whether it can take the place of the list of the options.
fault check_servers(const std::string& servers, const session_options& of);
/// Whether one transaction can make so many permits: each carries its path, its data and rights.
fault check_permits(const session_options& options, const std::string& path, std::size_t count);

/// What they take in a request.
std::size_t bytes_of(const std::vector<acl_entry>& entries);

} // namespace turnstile::detail
