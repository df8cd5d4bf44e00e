// SPDX-License-Identifier: BSL-1.0
// The lease as held locks read it, on any thread.
#pragma once

#include "protocol/listener.hpp"

#include <turnstile/lease_clock.hpp>

#include <algorithm>
#include <atomic>

namespace turnstile::detail {

/// The instants of the lease that is in force. The strand writes them at each proof of the lease,
/// and any thread reads them. session_impl owns this object.
class lease_view {
public:
    void set(const protocol::lease_instants& in_force) {
        loss_at_.store(in_force.loss_at, std::memory_order_release); // first: see margin()
        deadline_.store(in_force.deadline, std::memory_order_release);
        risk_.store(in_force.risk, std::memory_order_release);
    }
    lease_clock::time_point deadline() const { return deadline_.load(std::memory_order_acquire); }
    /// From here on the lock counts as lost.
    lease_clock::time_point loss_at() const { return loss_at_.load(std::memory_order_acquire); }
    /// From here on the lock is at risk.
    lease_clock::time_point risk() const { return risk_.load(std::memory_order_acquire); }
    /// From the loss to the deadline. If the strand writes meanwhile, this is too short, and never
    /// too long: set() writes the loss before the deadline, and here the deadline is read first.
    lease_clock::duration margin() const {
        const auto end = deadline();
        return std::max(end - loss_at(), lease_clock::duration::zero());
    }

private:
    std::atomic<lease_clock::time_point> deadline_{};
    std::atomic<lease_clock::time_point> loss_at_{};
    std::atomic<lease_clock::time_point> risk_{};
};

/// Answers for one lock whether it is held, on any thread. ticket_lock makes one for each question.
///
/// It reads the instants of the lease first, then the clock, then the loss. This order matters: a
/// lock is lost, and then a later proof moves the instants on. The strand writes the loss before
/// these instants. So a reader that finds the later instants finds the loss, too, even if it is
/// preempted in between.
///
/// `Reads` has is_lost() and last_deadline() of the lock, deadline(), loss_at() and risk() of its
/// session, and now().
template <class Reads>
class held_view {
public:
    explicit held_view(const Reads& reads) : reads_(reads) {}

    bool is_held() const {
        const auto loss_at = reads_.loss_at();
        const auto now = reads_.now();
        return now < loss_at && !reads_.is_lost();
    }
    bool is_at_risk() const {
        const auto risk = reads_.risk();
        const auto now = reads_.now();
        return now >= risk || reads_.is_lost();
    }
    lease_clock::time_point deadline() const {
        const auto in_force = reads_.deadline();
        return reads_.is_lost() ? reads_.last_deadline() : in_force;
    }

private:
    const Reads& reads_;
};

} // namespace turnstile::detail
