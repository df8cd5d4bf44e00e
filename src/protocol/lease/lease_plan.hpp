// SPDX-License-Identifier: BSL-1.0
// How the time T of a lease is divided: each share of it, by name, with its reason.
#pragma once

#include "protocol/time/instant.hpp"

#include <algorithm>
#include <optional>

/// T is the smallest timeout that the session ever negotiated; without a session it is the timeout
/// that is asked for. m is the margin of the holder, r the time that an answer takes, and the tick
/// is that of the servers, if it is stated.
namespace turnstile::protocol::lease_plan {

// Proofs. The leader pings its followers each half tick, and so within the gap: T is at least two
// ticks. A gain of less than a beat is not waited for. Of answers at nearly one time the newest
// counts.
constexpr duration longest_gap(duration t) { return t * 3 / 8; }
constexpr duration gap(duration t, std::optional<duration> tick) {
    return tick ? std::min(longest_gap(t), *tick * 3 / 4) : longest_gap(t);
}
constexpr duration least_gain(duration t) { return t / 8; }
constexpr duration log_grain(duration t) { return t / 64; }

// Beats. Three fit into the longest gap: T/2 is left just after one.
constexpr duration beat(duration t) { return t / 8; }
// A read is answered this long before a beat, and a later beat proves it, a whole gap after it
// (L3a). Zero: a beat is answered at that moment anyway.
constexpr duration read_lead(duration t, duration gap) { return gap % beat(t); }
// With less left, the longest gap and two answers would not fit any more (B1).
constexpr duration hurry(duration t, duration r) { return longest_gap(t) + 2 * r; }
// Answers do not all take the same time (B3).
constexpr duration slack(duration r) { return r / 4; }
constexpr duration patience(duration t) { return t / 3; }       // the C client has 2T/3
constexpr duration hasty_close = std::chrono::milliseconds{50}; // a round trip, if one answers
// One hung server costs no lock (L4).
constexpr duration holders_patience(duration t) { return t / 8; }
constexpr duration way_back(duration t) { return t / 16; } // to be connected to another server
constexpr duration grace(duration t) { return t / 32; }    // for a server that has shown to need r

/// Until when a holder waits for the answer to a beat (B4). `loss_at` is when the loss would be
/// reported, if it ever would be; no time of an answer is known before the first one.
constexpr instant holders_alarm(duration t, instant sent, duration r,
                                std::optional<instant> loss_at) {
    const auto alarm = sent + holders_patience(t);
    if (!loss_at || r == duration::zero())
        return alarm;
    return std::min(alarm, std::max(*loss_at - way_back(t), sent + r + grace(t)));
}

// What is left at a loss, for the holder to stop. With more than the largest margin no time would
// be left to prove the lease anew.
constexpr duration usual_margin(duration t) { return t / 16; }
constexpr duration largest_margin(duration t) { return t / 4; }
constexpr duration margin(duration t, duration wished) {
    return std::min(wished, largest_margin(t));
}
// At a risk (L5): two beats went without an answer, and the way back is left.
constexpr duration risk(duration t, duration m) { return std::max(t / 4, m + way_back(t)); }
// At a grant this much is left beside m (G1). With the usual m that is T/8 to leave a hung server,
// and T/16 to be back.
constexpr duration left_for_grant(duration t, duration m) { return (longest_gap(t) - m) * 3 / 5; }

// After a write that proved too little for a grant, one more is worth while if this much is left by
// it (G3).
constexpr duration worth_a_write(duration t) { return t / 2; }

// Connections.
constexpr duration first_attempt(duration t) { return t / 4; } // nothing to lose yet
constexpr duration next_attempt(duration t) { return t / 8; }  // one hung server costs no lock
// Two servers in silence leave time for a third. A far server needs four round trips, with TLS.
constexpr duration attempt_within(duration connect_timeout) {
    constexpr duration far = std::chrono::seconds{1};
    return std::min(connect_timeout, std::max(connect_timeout / 3, far));
}
// Servers that are restarted in turn serve for moments only.
constexpr duration longest_pause(duration t) { return t / 32; }
// Not restored after that, a session has expired at the servers.
constexpr duration forgotten(duration t) { return t * 4 / 3; }

// Requests.
constexpr duration asked_again(duration t) { return t / 8; }    // as often as the session beats
constexpr duration late_answer(duration t) { return t / 32; }   // a downgrade's, behind its event
constexpr duration read_again(duration t) { return t * 3 / 4; } // a lost event costs less than T
constexpr duration spread(duration t) { return t / 8; }  // many tickets are looked at in a beat
constexpr duration late_create(duration t) { return t; } // a create may be held back this long

} // namespace turnstile::protocol::lease_plan
