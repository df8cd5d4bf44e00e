// SPDX-License-Identifier: BSL-1.0
#include "line_view.hpp"

#include "support/foreign_client.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace turnstile::interop {

namespace {

constexpr std::size_t digits = 10;
constexpr int ok = 0;
constexpr int no_node = -101;

/// What the server appended, which orders all tickets of a line.
std::string sequence_of(const std::string& name) {
    return name.size() < digits ? std::string{} : name.substr(name.size() - digits);
}

} // namespace

std::optional<first_ticket> look_at_line(const std::string& servers, const std::string& path) {
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
