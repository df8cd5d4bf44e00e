// Finds the ACLs that a server would refuse, or that would shut everybody out, before any I/O.
#pragma once

#include <turnstile/acl.hpp>

#include <cstddef>

namespace turnstile::detail {

bool can_work(const acl& what);

/// What it takes in a request.
std::size_t bytes_of(const acl& what);

} // namespace turnstile::detail
