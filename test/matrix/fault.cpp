#include "fault.hpp"

namespace turnstile::matrix {

using std::chrono::milliseconds;

std::string_view name_of(fault what) {
    switch (what) {
    case fault::cut_before:
        return "cut-before";
    case fault::cut_after:
        return "cut-after";
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
    case fault::delay:
        return "delay";
    case fault::split:
        return "split";
    case fault::lost_event:
        return "lost-event";
    case fault::ticket_deletion:
        break;
    }
    return "ticket-deletion";
}

effect effect_of(fault what, aftermath after) {
    switch (what) {
    case fault::cut_before:
    case fault::cut_after:
    case fault::cut_within:
        return effect::cut;
    case fault::delay:
        return after == aftermath::same_server ? effect::none : effect::silence;
    case fault::split:
    case fault::lost_event:
    case fault::ticket_deletion:
        return effect::none;
    default:
        return effect::silence;
    }
}

bool is_hold(fault what) { return what == fault::hold_till_left || what == fault::hold_till_back; }

test::proxy_rule rule_of(fault what, aftermath after, milliseconds timeout) {
    using test::action;
    switch (what) {
    case fault::cut_before:
        return {.action = action::cut_before};
    case fault::cut_after:
        return {.action = action::cut_after};
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
    case fault::delay:
        break;
    case fault::split:
        return {.action = action::split, .time = milliseconds{5}, .parts = 5};
    case fault::lost_event:
        return {.action = action::lose};
    case fault::ticket_deletion:
        return {.action = action::pass};
    }
    switch (after) {
    case aftermath::same_server:
        return {.action = action::delay, .time = milliseconds{60}};
    case aftermath::another_server: // a client leaves at latest T/8 + T/3 after the last answer
        return {.action = action::delay, .time = timeout * 3 / 4};
    case aftermath::session_end:
        break;
    }
    return {.action = action::delay, .time = timeout * 2};
}

} // namespace turnstile::matrix
