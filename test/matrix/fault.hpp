// SPDX-License-Identifier: BSL-1.0
#pragma once

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

std::string_view name_of(fault what);
std::string_view name_of(recovery after);
effect effect_of(fault what);

/// The action and its figures; which frame is for the step to say.
test::proxy_rule rule_of(fault what);

} // namespace turnstile::matrix
