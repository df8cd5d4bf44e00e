// SPDX-License-Identifier: BSL-1.0
#include "node_name.hpp"

#include "line_name.hpp"

#include <algorithm>

namespace turnstile::check {
namespace {

constexpr auto nowhere = std::string_view::npos;

/// The role of a node that is named "try-<incarnation>-<session>-<attempt>-lease-<sequence>", or
/// the same with "take-". Nothing for another name.
std::optional<node_role> role_of_lease(std::string_view name) {
    constexpr std::string_view label = "-lease-";
    constexpr std::size_t digits = 10;
    const auto at = name.rfind(label);
    if (at == nowhere)
        return std::nullopt;
    const auto sequence = name.substr(at + label.size());
    if (sequence.size() != digits || sequence.find_first_not_of("0123456789") != nowhere)
        return std::nullopt;
    // Before the label: one dash before three numbers, and two between these.
    const bool whole =
        std::count(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(at), '-') == 3;
    if (whole && name.starts_with("try-"))
        return node_role::tried;
    if (whole && name.starts_with("take-"))
        return node_role::taken;
    return std::nullopt;
}

} // namespace

std::optional<node_name> node_name::parse(std::string_view path) {
    const auto slash = path.rfind('/');
    if (slash == nowhere || slash == 0)
        return std::nullopt;
    const auto parent = path.substr(0, slash);
    const auto child = path.substr(slash + 1);
    if (child == "holder")
        return node_name{node_role::only_holder, std::string{parent}, std::string{child}};
    constexpr std::string_view leases = "/leases";
    if (parent.size() > leases.size() && parent.ends_with(leases)) {
        const auto lock = parent.substr(0, parent.size() - leases.size());
        if (const auto role = role_of_lease(child))
            return node_name{*role, std::string{lock}, std::string{path.substr(lock.size() + 1)}};
    }
    if (line_name::parse(child))
        return node_name{node_role::ticket, std::string{parent}, std::string{child}};
    return std::nullopt;
}

} // namespace turnstile::check
