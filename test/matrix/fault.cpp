// SPDX-License-Identifier: BSL-1.0
#include "fault.hpp"

#include <chrono>

namespace turnstile::matrix {

std::string_view name_of(fault what) {
    switch (what) {
    case fault::cut_within:
        return "cut-within";
    case fault::hold_till_left:
        return "hold-till-left";
    case fault::hold_till_back:
        return "hold-till-back";
    case fault::black_hole:
        return "black-hole";
    case fault::black_hole_back:
        return "black-hole-back";
    case fault::black_hole_both:
        return "black-hole-both";
    case fault::split:
        return "split";
    case fault::lost_event:
        return "lost-event";
    case fault::ticket_deletion:
        break;
    }
    return "ticket-deletion";
}

std::string_view name_of(recovery after) {
    switch (after) {
    case recovery::same_server:
        return "same-server";
    case recovery::another_server:
        return "another-server";
    case recovery::session_end:
        break;
    }
    return "session-end";
}

effect effect_of(fault what) {
    switch (what) {
    case fault::cut_within:
        return effect::cut;
    case fault::split:
    case fault::lost_event:
    case fault::ticket_deletion:
        return effect::none;
    default:
        return effect::silence;
    }
}

test::proxy_rule rule_of(fault what) {
    using test::action;
    switch (what) {
    case fault::cut_within:
        return {.action = action::cut_within};
    case fault::hold_till_left:
    case fault::hold_till_back:
        return {.action = action::hold};
    case fault::black_hole:
        return {.action = action::black_hole};
    case fault::black_hole_back:
        return {.action = action::black_hole, .other_way = true};
    case fault::black_hole_both:
        return {.action = action::black_hole, .both_ways = true};
    case fault::split:
        return {.action = action::split, .time = std::chrono::milliseconds{5}, .parts = 5};
    case fault::lost_event:
        return {.action = action::lose};
    case fault::ticket_deletion:
        break;
    }
    return {.action = action::pass};
}

} // namespace turnstile::matrix
