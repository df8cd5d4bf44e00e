// SPDX-License-Identifier: BSL-1.0
// Finds the ACLs that a server would refuse, or that would shut everybody out, before any I/O.
#pragma once

#include <turnstile/acl.hpp>

#include <cstddef>
#include <vector>

namespace turnstile::detail {

bool can_work(const acl& what);

/// What they take in a request.
std::size_t bytes_of(const std::vector<acl_entry>& entries);

} // namespace turnstile::detail
