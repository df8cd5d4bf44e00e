// SPDX-License-Identifier: BSL-1.0
#include "frame_pattern.hpp"

#include <string_view>

namespace turnstile::matrix {
namespace {

using enum frame_pattern::about;

std::string_view below(frame_pattern::about what) {
    switch (what) {
    case ticket:
        return "/";
    case limit:
        return "/limit";
    case leases:
        return "/leases";
    case lease:
        return "/leases/";
    case first_path:
        return "/a";
    case second_path:
        return "/b";
    case third_path:
        return "/c";
    case first_ticket:
        return "/a/";
    case second_ticket:
        return "/b/";
    case second_limit:
        return "/b/limit";
    case second_leases:
        return "/b/leases";
    case second_lease:
        return "/b/leases/";
    default:
        return "";
    }
}

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
        rule.path = path + std::string{below(what)};
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
