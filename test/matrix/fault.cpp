// SPDX-License-Identifier: BSL-1.0
#include "fault.hpp"

#include <array>
#include <chrono>
#include <cstddef>

namespace turnstile::matrix {

std::string_view name_of(fault what) {
    constexpr std::array<std::string_view, 9> names{
        "cut-within",      "hold-till-left", "hold-till-back", "black-hole",     "black-hole-back",
        "black-hole-both", "split",          "lost-event",     "ticket-deletion"};
    return names.at(static_cast<std::size_t>(what));
}

std::string_view name_of(recovery after) {
    constexpr std::array<std::string_view, 3> names{"same-server", "another-server", "session-end"};
    return names.at(static_cast<std::size_t>(after));
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
