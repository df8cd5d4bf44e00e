// SPDX-License-Identifier: BSL-1.0
#include "protocol/lease/lease.hpp"

#include <algorithm>

namespace turnstile::protocol {

void lease::reset() {
    timeout_ = duration::zero();
    proved_.reset();
    disconnected();
}

void lease::connected(instant handshake_began, instant now, duration negotiated) {
    disconnected();
    timeout_ = timeout_ == duration::zero() ? negotiated : std::min(timeout_, negotiated);
    handshake_ = handshake_began;
    note_round_trip(handshake_began, now);
}

void lease::disconnected() {
    handshake_.reset();
    round_trips_.clear();
    proposals_.clear();
}

// An answered write plays two parts of the rule. It is w2 for the proposals that were confirmed
// before it was sent. And it is w1 for the requests that were answered a gap before it was sent.
void lease::answered(instant sent, instant now, bool write) {
    if (write) {
        if (handshake_) {
            prove(*handshake_);
            handshake_.reset();
        }
        while (!proposals_.empty() && proposals_.front().confirmed <= sent) {
            prove(proposals_.front().sent);
            proposals_.pop_front();
        }
        add_proposal(sent, now);
    }
    // Without writes nothing takes entries out. Entries older than T prove a deadline that has
    // passed. One stays: note_round_trip() compares with it.
    while (round_trips_.size() > 1 && round_trips_[1].answered + timeout_ <= now)
        round_trips_.pop_front();
    note_round_trip(sent, now);
}

// Of requests that are answered at nearly the same time the newest is kept (B5): all entries but
// the last stand at least a grain apart. So an answer that comes less than a grain after the last
// entry but one replaces the last entry.
void lease::note_round_trip(instant sent, instant now) {
    if (round_trips_.size() > 1 &&
        now - round_trips_[round_trips_.size() - 2].answered < lease_plan::log_grain(timeout_))
        round_trips_.back() = {sent, now};
    else
        round_trips_.push_back({sent, now});
}

void lease::prove(instant sent) { proved_ = proved_ ? std::max(*proved_, sent) : sent; }

// The write is w1 for the newest request that was answered a gap before it. Older ones prove less.
void lease::add_proposal(instant write_sent, instant now) {
    const auto answered_by = write_sent - gap();
    std::optional<instant> newest;
    while (!round_trips_.empty() && round_trips_.front().answered <= answered_by) {
        newest = round_trips_.front().sent;
        round_trips_.pop_front();
    }
    if (newest)
        proposals_.push_back({*newest, now});
}

bool lease::moves_deadline(instant sent) const {
    return !proved_ || sent >= *proved_ + lease_plan::least_gain(timeout_);
}

bool lease::one_write_proves() const {
    return handshake_ || (!proposals_.empty() && moves_deadline(proposals_.back().sent));
}

// The next write is w2 for all proposals, and the newest of them proves most.
duration lease::left_by_next_write(instant now) const {
    if (!one_write_proves())
        return duration::zero();
    return (handshake_ ? *handshake_ : proposals_.back().sent) + timeout_ - now;
}

instant lease::next_proof(instant now) const {
    if (round_trips_.empty() || one_write_proves())
        return now;
    const auto next_r =
        std::find_if(round_trips_.begin(), round_trips_.end(),
                     [&](const round_trip& each) { return moves_deadline(each.sent); });
    if (next_r != round_trips_.end())
        return std::max(now, next_r->answered + gap());
    // No request so far would move the deadline by enough. The first that can is sent later.
    return std::max(now, proved_ ? *proved_ + lease_plan::least_gain(timeout_) : now) + gap();
}

instant lease::proved_at(instant begins, duration trip) const {
    return begins + (one_write_proves() ? trip : 2 * trip);
}

} // namespace turnstile::protocol
