// SPDX-License-Identifier: BSL-1.0
// The ticket that no other stands before: that of the leader.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::protocol {

/// Empty where nobody stands in line.
struct first_in_line {
    std::string node{}; // its name under the path
    std::string data{};
    std::int64_t czxid = 0;
    std::int64_t session = 0;
    std::int64_t ctime = 0;

    bool operator==(const first_in_line&) const = default;
};

} // namespace turnstile::protocol
