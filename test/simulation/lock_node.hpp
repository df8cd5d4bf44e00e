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

} // namespace turnstile::test
