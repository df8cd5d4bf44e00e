// SPDX-License-Identifier: BSL-1.0
// Which node of which lock.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace turnstile::test {

/// Nodes of one transaction have one czxid, and stand under several lock paths.
struct lock_node {
    std::int64_t czxid = 0;
    std::string lock{}; // its path

    auto operator<=>(const lock_node&) const = default;
};

/// Of a ticket, by an operator.
struct deletion {
    std::int64_t zxid = 0;
    std::int64_t session = 0;
    bool excuses = true; // it was its owner's: what is believed by it is not the library's fault
};

} // namespace turnstile::test
