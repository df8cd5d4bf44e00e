// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace turnstile::interop {

/// The ticket that stands first in a line, whoever made it.
struct first_ticket {
    std::string name;
    std::int64_t session = 0; ///< that made it
};

/// Asks the servers, and blocks meanwhile. Nothing where nobody stands in line, or where the line
/// moved on while it was looked at. Throws std::runtime_error where the servers do not answer.
std::optional<first_ticket> look_at_line(const std::string& servers, const std::string& path);

} // namespace turnstile::interop
