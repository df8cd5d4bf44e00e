// SPDX-License-Identifier: BSL-1.0
// A node of a lock, and its deletion.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace turnstile::test {

/// Identifies a node. Nodes of one transaction share a czxid, so the lock path is needed, too.
struct lock_node {
    std::int64_t czxid = 0;
    std::string lock{}; // its path

    auto operator<=>(const lock_node&) const = default;
};

/// The deletion of a ticket by an operator.
struct deletion {
    std::int64_t zxid = 0;
    std::int64_t session = 0;
    bool was_owners = true; // the ticket was an owner's: a wrong belief is not the library's fault
};

} // namespace turnstile::test
