// SPDX-License-Identifier: BSL-1.0
// Until when the ensemble cannot have given a session's locks to anybody else.
#pragma once

#include "protocol/lease/lease_plan.hpp"
#include "protocol/time/instant.hpp"

#include <deque>
#include <optional>

namespace turnstile::protocol {

/// The two-write rule (docs/internals/protocol/lease.md, L1 and L2): a request r is proved once
/// 1. r was answered,
/// 2. a write w1, sent at least the gap after r's answer, was answered,
/// 3. a write w2, sent after w1's answer, was answered, too, all on one connection.
/// The deadline is T after the newest proved r was sent. The gap is 3T/8, or three quarters of the
/// servers' tick if that is stated and less. A handshake is an r, sent when it began, that the
/// first answered write on its connection proves. T is the smallest timeout that the session ever
/// negotiated. request_pipeline reports each answer here, session_machine the connections.
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
    /// The instant from which a write is w1 for an r that moves the deadline by T/8 or more: the
    /// gap after the answer to that r, which may yet have to be sent. It is now if the next write
    /// alone moves the deadline. It is also now without a connection: the first write on the next
    /// connection proves a whole T.
    instant next_proof(instant now) const;
    /// The instant at which the next writes have moved the deadline, if the first is sent at
    /// `begins` and each answer takes `trip`. It takes one write, or w1 and w2.
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
