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
    pass,        ///< forward it; to wait until it was
    cut_before,  ///< cut both sides; the frame is lost
    cut_after,   ///< see proxy_rule
    hold,        ///< keep it and all later ones of this direction until release_held()
    cut_within,  ///< forward the first half of its bytes, then cut both sides
    lose,        ///< swallow this frame alone
    black_hole,  ///< swallow it and all later ones of this direction; the connection stays open
    delay,       ///< forward it, and so the later ones of this direction, after proxy_rule::time
    split,       ///< forward it in proxy_rule::parts pieces with proxy_rule::time between them
    wrong_bytes, ///< forward what proxy_rule::rewritten makes of its bytes
};

/// Which frames, and what to do with them. Rules judge a frame when it arrives at the proxy; the
/// first rule that fires decides, but every rule counts its own matches. A frame that is lost with
/// its connection before the rule was carried out does not count.
///
/// cut_after of a request: the server gets it, and no later one. When its reply comes, both
/// sides are cut instead, and the rule counts as hit: the request has been executed, but the client
/// does not know. (If the server goes first, that is the moment of the cut.) Of a reply: the client
/// gets it, then both sides are cut; it may see the reset first if it is writing at that moment.
///
/// hold and black_hole act on the frame's connection, not on later ones. Held requests survive the
/// end of the client's connection: they still reach the server when released, like packets of a
/// slow network, unless the session has been resumed meanwhile. (A server closes the connection a
/// session had to it before.)
struct proxy_rule {
    test::direction direction = test::direction::to_server;
    test::op op = test::op::any;
    test::op part = test::op::any;      ///< of a multi: the operation of its first part
    test::op last_part = test::op::any; ///< and that of its last one
    std::string path = {};              ///< part of the frame's path; empty: every frame
    std::string without = {};           ///< no part of that path; empty: whatever is in it
    std::int64_t session = 0;           ///< of the frame's connection; 0: whichever
    int nth = 1;                        ///< fire at the nth match,
    int times = 1; ///< and at the following ones, this many altogether; 0: no limit
    int every = 1; ///< of the following ones only one in this many
    test::action action = test::action::pass;
    std::chrono::milliseconds time{0}; ///< delay, split
    std::size_t parts = 2;             ///< split; 0: every byte on its own
    bool both_ways = false;            ///< black_hole: the other direction as well
    bool outage = false; ///< from this frame on new connections are reset, as by set_outage()
    std::string (*rewritten)(std::string) = nullptr; ///< with the four bytes of length in front
    bool other_way = false; ///< black_hole: the other direction only, once the frame was forwarded
};

} // namespace turnstile::test
