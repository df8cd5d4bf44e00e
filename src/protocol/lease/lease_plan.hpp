// SPDX-License-Identifier: BSL-1.0
// How the time T of a lease is divided: each share of it, by name, with its reason.
#pragma once

#include "protocol/time/instant.hpp"

#include <algorithm>
#include <optional>

/// T is the smallest timeout that the session ever negotiated, m the margin of the holder, and r
/// the time that an answer takes. Of two shares the larger one counts. Without a session T is the
/// timeout that is asked for.
///
/// name             share         reason
/// settling         3T/8          longer than the leader's ping interval, as T is at least 2 ticks
/// worth            T/8           a proof that gains less than a beat is not waited for
/// log_grain        T/64          of answers at nearly one time the newest proves the most
/// beat             T/8           three fit into the settling time: T/2 is left just after a beat
/// hurry            3T/8 + 2r     with less left, settling and two answers would not fit any more
/// slack            r/4           answers do not all take the same time
/// patience         T/3           a server that hangs is left before the C client would (2T/3)
/// holders_patience T/8           one hung server must not cost a lock
/// way_back         T/16          to be connected to another server
/// grace            T/32          a server that has shown that it needs r gets a little more
/// usual_margin     T/16          for a holder to finish or to stop
/// largest_margin   T/4           with more, no time would be left to prove the lease anew
/// risk             T/4, m+T/16   two beats went without an answer; the way back is left
/// room             3(3T/8-m)/5   with the usual m: T/8 to leave a hung server, T/16 to be back
/// first_attempt    T/4           no session, nothing to lose: a server may be slow to make one
/// next_attempt     T/8           one hung server must not cost a lock
/// longest_pause    T/32          servers that are restarted in turn serve for moments only
/// forgotten        4T/3          not restored after that, a session has expired at the servers
/// asked_again      T/8           what was refused is asked again as often as the session beats
/// late_answer      T/32          a downgrade's answer comes right behind its event
/// read_again       3T/4          a lost event delays what waits for it by less than T
/// spread           T/8           many tickets are looked at within a beat, not all at once
/// late_create      T             for so long a create that was held back on its way may appear
namespace turnstile::protocol::lease_plan {

// Proofs.
constexpr duration settling(duration timeout) { return timeout * 3 / 8; }
constexpr duration worth(duration timeout) { return timeout / 8; }
constexpr duration log_grain(duration timeout) { return timeout / 64; }

// Beats.
constexpr duration beat(duration timeout) { return timeout / 8; }
constexpr duration hurry(duration timeout, duration trip) { return settling(timeout) + 2 * trip; }
constexpr duration slack(duration trip) { return trip / 4; }
constexpr duration patience(duration timeout) { return timeout / 3; }
constexpr duration holders_patience(duration timeout) { return timeout / 8; }
constexpr duration way_back(duration timeout) { return timeout / 16; }
constexpr duration grace(duration timeout) { return timeout / 32; }

/// Until when a holder waits for the answer to a beat. `loss_at` is when the loss would be
/// reported, if it ever would be; no time of an answer is known before the first one.
constexpr instant holders_alarm(duration timeout, instant sent, duration trip,
                                std::optional<instant> loss_at) {
    const auto alarm = sent + holders_patience(timeout);
    if (!loss_at || trip == duration::zero())
        return alarm;
    return std::min(alarm, std::max(*loss_at - way_back(timeout), sent + trip + grace(timeout)));
}

// What is left at a loss, a risk or a grant.
constexpr duration usual_margin(duration timeout) { return timeout / 16; }
constexpr duration largest_margin(duration timeout) { return timeout / 4; }
constexpr duration margin(duration timeout, duration wished) {
    return std::min(wished, largest_margin(timeout));
}
constexpr duration risk(duration timeout, duration margin) {
    return std::max(timeout / 4, margin + way_back(timeout));
}
constexpr duration room(duration timeout, duration margin) {
    return (settling(timeout) - margin) * 3 / 5;
}

// Connections.
constexpr duration first_attempt(duration timeout) { return timeout / 4; }
constexpr duration next_attempt(duration timeout) { return timeout / 8; }
constexpr duration longest_pause(duration timeout) { return timeout / 32; }
constexpr duration forgotten(duration timeout) { return timeout * 4 / 3; }

// Requests.
constexpr duration asked_again(duration timeout) { return timeout / 8; }
constexpr duration late_answer(duration timeout) { return timeout / 32; }
constexpr duration read_again(duration timeout) { return timeout * 3 / 4; }
constexpr duration spread(duration timeout) { return timeout / 8; }
constexpr duration late_create(duration timeout) { return timeout; }

} // namespace turnstile::protocol::lease_plan
