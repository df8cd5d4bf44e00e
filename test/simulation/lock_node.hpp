// SPDX-License-Identifier: BSL-1.0
// A node of a lock, and its deletion by another hand than its session's.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace turnstile::test {

/// Identifies a node of a lock: a ticket, a permit, or a lock's one node. Nodes of one transaction
/// share a czxid, so the lock path is needed, too.
struct lock_node {
    std::int64_t czxid = 0;
    std::string lock{}; // the path of the lock

    auto operator<=>(const lock_node&) const = default;
};

/// The deletion of a ticket by an operator, or by a late request (simulation_witness.cpp).
struct deletion {
    std::int64_t zxid = 0;    // that deleted it
    std::int64_t session = 0; // that had made it
    bool was_owners = true;   // the ticket was first in line: a wrong belief by it is excused
};

} // namespace turnstile::test
