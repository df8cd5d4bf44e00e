#include "fault.hpp"

namespace turnstile::matrix {

using std::chrono::milliseconds;

std::string_view name_of(fault what) {
    switch (what) {
    case fault::cut_before:
        return "cut-before";
    case fault::cut_after:
        return "cut-after";
    case fault::half_frame:
        return "half-frame";
    case fault::held_till_left:
        return "held-till-left";
    case fault::held_till_back:
        return "held-till-back";
    case fault::swallowed:
        return "swallowed";
    case fault::deafened:
        return "deafened";
    case fault::swallowed_both:
        return "swallowed-both";
    case fault::delayed:
        return "delayed";
    case fault::split:
        break;
    }
    return "split";
}

effect effect_of(fault what, aftermath after) {
    switch (what) {
    case fault::cut_before:
    case fault::cut_after:
    case fault::half_frame:
        return effect::cut;
    case fault::delayed:
        return after == aftermath::same_server ? effect::none : effect::silence;
    case fault::split:
        return effect::none;
    default:
        return effect::silence;
    }
}

bool is_hold(fault what) { return what == fault::held_till_left || what == fault::held_till_back; }

test::proxy_rule rule_of(fault what, aftermath after, milliseconds timeout) {
    using test::action;
    switch (what) {
    case fault::cut_before:
        return {.action = action::cut_before};
    case fault::cut_after:
        return {.action = action::forward_then_cut};
    case fault::half_frame:
        return {.action = action::half_frame_then_cut};
    case fault::held_till_left:
    case fault::held_till_back:
        return {.action = action::hold};
    case fault::swallowed:
        return {.action = action::black_hole};
    case fault::deafened:
        return {.action = action::black_hole, .other_way = true};
    case fault::swallowed_both:
        return {.action = action::black_hole, .both_ways = true};
    case fault::delayed:
        break;
    case fault::split:
        return {.action = action::split, .time = milliseconds{5}, .parts = 5};
    }
    switch (after) {
    case aftermath::same_server:
        return {.action = action::delay, .time = milliseconds{60}};
    case aftermath::another_server: // a client leaves at latest T/8 + T/3 after the last answer
        return {.action = action::delay, .time = timeout * 3 / 4};
    case aftermath::expiry:
        break;
    }
    return {.action = action::delay, .time = timeout * 2};
}

} // namespace turnstile::matrix
