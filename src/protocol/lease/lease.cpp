// SPDX-License-Identifier: BSL-1.0
#include "protocol/lease/lease.hpp"

#include <algorithm>

namespace turnstile::protocol {

void lease::reset() {
    timeout_ = duration::zero();
    base_.reset();
    disconnected();
}

void lease::connected(instant handshake_began, instant now, duration negotiated) {
    disconnected();
    timeout_ = timeout_ == duration::zero() ? negotiated : std::min(timeout_, negotiated);
    handshake_ = handshake_began;
    log(handshake_began, now);
}

void lease::disconnected() {
    handshake_.reset();
    log_.clear();
    proposals_.clear();
}

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
        propose(sent, now);
    }
    // Without writes nothing takes entries out. Those older than T prove a deadline that has
    // passed.
    while (log_.size() > 1 && log_[1].answered + timeout_ <= now)
        log_.pop_front();
    log(sent, now);
}

// Of those that are answered at nearly the same time the newest is kept.
void lease::log(instant sent, instant now) {
    if (log_.size() > 1 && now - log_[log_.size() - 2].answered < lease_plan::log_grain(timeout_))
        log_.back() = {sent, now};
    else
        log_.push_back({sent, now});
}

void lease::prove(instant sent) { base_ = base_ ? std::max(*base_, sent) : sent; }

void lease::propose(instant write_sent, instant now) {
    const auto settled = write_sent - gap();
    std::optional<instant> newest;
    while (!log_.empty() && log_.front().answered <= settled) {
        newest = log_.front().sent;
        log_.pop_front();
    }
    if (newest)
        proposals_.push_back({*newest, now});
}

bool lease::counts(instant sent) const {
    return !base_ || sent >= *base_ + lease_plan::worth(timeout_);
}

bool lease::one_write_proves() const {
    return handshake_ || (!proposals_.empty() && counts(proposals_.back().sent));
}

duration lease::left_by_next_write(instant now) const {
    if (!one_write_proves())
        return duration::zero();
    return (handshake_ ? *handshake_ : proposals_.back().sent) + timeout_ - now;
}

instant lease::next_proof(instant now) const {
    if (log_.empty() || one_write_proves())
        return now;
    const auto logged = std::find_if(log_.begin(), log_.end(),
                                     [&](const round_trip& each) { return counts(each.sent); });
    if (logged != log_.end())
        return std::max(now, logged->answered + gap());
    // What is asked before that would not count.
    return std::max(now, base_ ? *base_ + lease_plan::worth(timeout_) : now) + gap();
}

instant lease::proved_at(instant begins, duration trip) const {
    return begins + (one_write_proves() ? trip : 2 * trip);
}

} // namespace turnstile::protocol
