#pragma once

#include "aftermath.hpp"

#include "support/proxy_rule.hpp"

#include <array>
#include <chrono>
#include <string_view>

namespace turnstile::matrix {

/// What is done to the frame that a step is about.
enum class fault {
    cut_before,      ///< the other side never sees it
    cut_after,       ///< carried out, and the answer lost
    cut_within,      ///< half of it, then a reset
    hold_till_left,  ///< it arrives when the client has left, and before it is back
    hold_till_back,  ///< it arrives when the client is back, on the old connection
    black_hole,      ///< it and all behind it; the connection stays open
    black_hole_back, ///< it arrives, and nothing more in the other direction
    black_hole_both, ///< it and all else, in both directions
    delay, ///< where the session stays: a little, or till the user has thought again; else until
           ///< the client has left by itself
    split, ///< it arrives in pieces
    lost_event,     ///< a watch event never arrives, and all else does
    ticket_deletion ///< it arrives; before its cause, another hand deletes the ticket that waits
};

inline constexpr std::array faults{
    fault::cut_before,     fault::cut_after,  fault::cut_within,      fault::hold_till_left,
    fault::hold_till_back, fault::black_hole, fault::black_hole_back, fault::black_hole_both,
    fault::delay,          fault::split,      fault::lost_event,      fault::ticket_deletion};

/// What becomes of the connection.
enum class effect {
    cut,     ///< by the proxy
    silence, ///< the client has to find out
    none
};

std::string_view name_of(fault what);
effect effect_of(fault what, aftermath after);
bool is_hold(fault what);

/// The action and its figures; which frame is for the step to say. `timeout` is the session's.
test::proxy_rule rule_of(fault what, aftermath after, std::chrono::milliseconds timeout);

} // namespace turnstile::matrix
