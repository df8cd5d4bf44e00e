// SPDX-License-Identifier: BSL-1.0
#include "frame_pattern.hpp"
#include "support/pch.hpp"

namespace turnstile::matrix {
namespace {

using enum frame_pattern::about;

/// Where a frame's path ends, in the order of `about`.
constexpr std::array<std::string_view, 13> ends{
    "", "", "/", "", "", "/limit", "/leases", "/leases/", "/a", "/b", "/c", "/a/", "/b/"};

} // namespace

void frame_pattern::aim(test::proxy_rule& rule, const std::string& path,
                        std::int64_t session) const {
    rule.direction = direction;
    rule.op = op;
    rule.part = part;
    rule.last_part = last;
    rule.session = session;
    if (op == test::op::get_children2)
        rule.without = "-lock-"; // a ticket's watch on itself asks for its children, too
    if (what == downgraded)
        rule.path = "-down-read-lock-"; // the session has one lock path
    else if (what == shared)
        rule.path = "-read-lock-";
    else if (what != handshake)
        rule.path = path + std::string{ends.at(static_cast<std::size_t>(what))};
}

bool frame_pattern::is_of_ticket() const {
    switch (what) {
    case ticket:
    case shared:
    case downgraded:
    case first_ticket:
    case second_ticket:
    case lock_path:
        return op == test::op::get_children2; // who stands before it
    default:
        return false;
    }
}

bool frame_pattern::makes_ticket() const {
    return (what == lock_path || what == first_path) && op == test::op::multi &&
           part == test::op::set_data;
}

} // namespace turnstile::matrix
