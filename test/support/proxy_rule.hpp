// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "frame.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace turnstile::test {

/// What the proxy does with a frame. "Cut" means that the connection is reset (RST), not closed.
enum class action {
    pass,        ///< forward it: a rule by which a test waits for the frame
    cut_before,  ///< cut both sides; the frame is lost
    cut_after,   ///< cut once the frame was received, see proxy_rule
    hold,        ///< keep it and all later ones of this direction until release_held()
    cut_within,  ///< forward the first half of its bytes, then cut both sides
    lose,        ///< swallow this frame alone
    black_hole,  ///< swallow it and all later ones of this direction; the connection stays open
    delay,       ///< forward it, and so the later ones of this direction, after proxy_rule::time
    split,       ///< forward it in proxy_rule::parts pieces with proxy_rule::time between them
    wrong_bytes, ///< forward what proxy_rule::rewritten makes of its bytes
};

/// Which frames a proxy harms, and how. Rules judge a frame when it arrives at the proxy. The first
/// rule that fires decides, and every rule counts its own matches. A frame that is lost with its
/// connection before the rule was carried out does not count.
///
/// cut_after of a request: the server gets it, and no later one. When the reply comes, both sides
/// are cut in its place, and the rule counts as hit. So the request was carried out, and the client
/// does not know. (If the server ends the connection first, that is the moment of the cut.)
///
/// cut_after of a reply: the client gets it, and then both sides are cut. A client that is writing
/// at that moment may see the reset first.
///
/// hold and black_hole act on the frame's connection, not on later ones. Held requests survive the
/// end of the client's connection. When they are released they still reach the server, like packets
/// of a slow network. But if the session has been resumed meanwhile, the server has closed that
/// connection.
struct proxy_rule {
    test::direction direction = test::direction::to_server;
    test::op op = test::op::any;
    test::op part = test::op::any;      ///< of a multi: the operation of its first part
    test::op last_part = test::op::any; ///< of a multi: the operation of its last part
    std::string path = {};              ///< the frame's path contains this
    std::string without = {};           ///< the frame's path does not contain this; empty: any path
    std::int64_t session = 0;           ///< of the frame's connection; 0: any
    int nth = 1;                        ///< the rule fires first at the nth match
    int times = 1;                      ///< it fires so many times in all; 0: without a limit
    int every = 1;                      ///< from the nth match on, at one in so many
    test::action action = test::action::pass;
    std::chrono::milliseconds time{0}; ///< of delay, and between the pieces of split
    std::size_t parts = 2;             ///< the pieces of split; 0: each byte is one
    bool both_ways = false;            ///< black_hole: the other direction as well
    bool outage = false; ///< from this frame on new connections are reset, as by set_outage()
    /// wrong_bytes: what becomes of the frame, with its four bytes of length in front.
    std::string (*rewritten)(std::string) = nullptr;
    bool other_way = false; ///< black_hole: the other direction only, once the frame was forwarded
};

} // namespace turnstile::test
