// SPDX-License-Identifier: BSL-1.0
// Until when the ensemble cannot have given a session's locks to anybody else.
#pragma once

#include "protocol/lease/lease_plan.hpp"
#include "protocol/time/instant.hpp"

#include <deque>
#include <optional>

namespace turnstile::protocol {

/// The two-write rule (docs/internals/protocol/lease.md, L1 and L2). The deadline is the send
/// instant of the newest answered request r, plus T, such that a write w1 was sent at least the gap
/// after r's answer, and a write w2, sent after w1's answer, was answered too, all on one
/// connection. The gap is three quarters of the servers' tick if that is stated, and else 3T/8. The
/// instant before a handshake began counts as r as soon as one write on the new connection is
/// answered. T is the smallest timeout that the session ever negotiated.
class lease {
public:
    explicit lease(std::optional<duration> tick = {}) : tick_(tick) {}

    /// A new session begins: nothing is proved yet.
    void reset();
    void connected(instant handshake_began, instant now, duration negotiated);
    void disconnected();
    void answered(instant sent, instant now, bool write);

    duration timeout() const { return timeout_; }
    duration gap() const { return lease_plan::gap(timeout_, tick_); }
    std::size_t log_size() const { return round_trips_.size(); }
    std::optional<instant> deadline() const {
        return proved_ ? std::optional{*proved_ + timeout_} : std::nullopt;
    }
    duration left(instant now) const {
        return proved_ ? *proved_ + timeout_ - now : duration::zero();
    }
    /// How much is left if one more write is answered now; zero: the write proves no more.
    duration left_by_next_write(instant now) const;
    /// The instant from which two writes, one after the other, prove at least T/8 more than is
    /// proved now. If a connection that hung answers all its requests at once, it is the gap later,
    /// since a write counts from the gap after an answer on. Without a connection it is now: the
    /// first write on the next connection proves a whole T.
    instant next_proof(instant now) const;
    /// The instant at which they have proved it, if they begin at `begins` and each answer takes
    /// `trip`.
    instant proved_at(instant begins, duration trip) const;

private:
    struct round_trip {
        instant sent;
        instant answered;
    };
    struct proposal {
        instant sent;      // of r
        instant confirmed; // w1's answer: a write sent from here on proves r
    };

    /// Whether this send instant, once proved, moves the deadline by a beat or more.
    bool moves_deadline(instant sent) const;
    bool one_write_proves() const;
    void note_round_trip(instant sent, instant now);
    void prove(instant sent);
    void add_proposal(instant write_sent, instant now);

    const std::optional<duration> tick_;
    duration timeout_{};
    std::optional<instant> proved_; // the newest proved send instant, over all connections
    std::optional<instant> handshake_;
    std::deque<round_trip> round_trips_; // answered requests of this connection, thinned
    std::deque<proposal> proposals_;
};

} // namespace turnstile::protocol
