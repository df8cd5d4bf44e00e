// SPDX-License-Identifier: BSL-1.0
// The lease deadline as held locks read it, on any thread.
#pragma once

#include "protocol/listener.hpp"

#include <turnstile/lease_clock.hpp>

#include <algorithm>
#include <atomic>

namespace turnstile::detail {

/// The strand writes it at each proof of the lease; any thread reads it. session_impl owns it.
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
    /// If the strand writes meanwhile, this is too short, and never too long: the deadline that is
    /// read here comes with its own instant of the loss, or a later one.
    lease_clock::duration margin() const {
        const auto end = deadline();
        return std::max(end - loss_at(), lease_clock::duration::zero());
    }

private:
    std::atomic<lease_clock::time_point> deadline_{};
    std::atomic<lease_clock::time_point> loss_at_{};
    std::atomic<lease_clock::time_point> risk_{};
};

} // namespace turnstile::detail
