// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/foreign_client.hpp"
#include "support/pch.hpp"

namespace turnstile::interop {

inline constexpr std::size_t digits = 10;

inline constexpr int ok = 0;

inline constexpr int no_node = -101;

/// What the server appended, which orders all tickets of a line.
inline std::string sequence_of(const std::string& name) {
    return name.size() < digits ? std::string{} : name.substr(name.size() - digits);
}

/// The ticket that stands first in a line, whoever made it.
struct first_ticket {
    std::string name;
    std::int64_t session = 0; ///< that made it
};

/// Asks the servers, and blocks meanwhile. Nothing where nobody stands in line, or where the line
/// moved on while it was looked at. Throws std::runtime_error where the servers do not answer.
inline std::optional<first_ticket> look_at_line(const std::string& servers,
                                                const std::string& path) {
    test::foreign_client eyes{servers};
    std::vector<std::string> names;
    const int listed = eyes.sync(path) == ok ? eyes.children(path, &names) : no_node;
    if (listed != ok && listed != no_node)
        throw std::runtime_error{"the line at " + path + " cannot be listed"};
    const auto first = std::min_element(names.begin(), names.end(),
                                        [](const std::string& left, const std::string& right) {
                                            return sequence_of(left) < sequence_of(right);
                                        });
    test::node_info info;
    if (first == names.end() || eyes.exists(path + "/" + *first, &info) != ok)
        return std::nullopt;
    return first_ticket{*first, info.ephemeral_owner};
}

} // namespace turnstile::interop
