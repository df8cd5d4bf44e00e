// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"
#include "support/proxy_rule.hpp"

#include <string_view>

namespace turnstile::matrix {

/// What is done to the frame that a step is about.
enum class fault {
    cut_within,      ///< half of it, then a reset
    hold_till_left,  ///< it arrives when the client has left, and before it is back
    hold_till_back,  ///< it arrives when the client is back, on the old connection
    black_hole,      ///< it and all behind it; the connection stays open
    black_hole_back, ///< it arrives, and nothing more in the other direction
    black_hole_both, ///< it and all else, in both directions
    split,           ///< it arrives in pieces
    lost_event,      ///< a watch event never arrives, and all else does
    ticket_deletion  ///< it arrives; before its cause, a foreign client deletes the ticket that
                     ///< waits
};

/// What comes after the fault.
enum class recovery {
    same_server,    ///< the session goes on at the server where it was
    another_server, ///< that server takes no connections any more
    session_end     ///< the session ends before the library gets through again
};

/// What becomes of the connection.
enum class effect {
    cut,     ///< by the proxy
    silence, ///< the client has to find out
    none
};

inline std::string_view name_of(fault what) {
    constexpr std::array<std::string_view, 9> names{
        "cut-within",      "hold-till-left", "hold-till-back", "black-hole",     "black-hole-back",
        "black-hole-both", "split",          "lost-event",     "ticket-deletion"};
    return names.at(static_cast<std::size_t>(what));
}
inline std::string_view name_of(recovery after) {
    constexpr std::array<std::string_view, 3> names{"same-server", "another-server", "session-end"};
    return names.at(static_cast<std::size_t>(after));
}
inline effect effect_of(fault what) {
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

/// The action and its figures; which frame is for the step to say.
inline test::proxy_rule rule_of(fault what) {
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
