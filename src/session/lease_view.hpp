// SPDX-License-Identifier: BSL-1.0
// The lease deadline as held locks read it, on any thread.
#pragma once

#include "protocol/listener.hpp"

#include <turnstile/lease_clock.hpp>

#include <algorithm>
#include <atomic>

namespace turnstile::detail {

class lease_view {
public:
    void set(const protocol::lease_instants& in_force) {
        write(deadline_, in_force.deadline);
        write(loss_at_, in_force.loss_at);
        write(risk_, in_force.risk);
    }
    lease_clock::time_point deadline() const { return read(deadline_); }
    /// From here on the lock counts as lost.
    lease_clock::time_point loss_at() const { return read(loss_at_); }
    /// From here on the lock is at risk.
    lease_clock::time_point risk() const { return read(risk_); }
    /// Too short, never too long, where the strand writes meanwhile: it writes the deadline first.
    lease_clock::duration margin() const {
        const auto end = deadline();
        return std::max(end - loss_at(), lease_clock::duration::zero());
    }

private:
    using count = std::atomic<protocol::duration::rep>;
    static void write(count& at, protocol::instant value) {
        at.store(value.time_since_epoch().count(), std::memory_order_release);
    }
    static lease_clock::time_point read(const count& at) {
        return lease_clock::time_point{lease_clock::duration{at.load(std::memory_order_acquire)}};
    }

    count deadline_{0};
    count loss_at_{0};
    count risk_{0};
};

} // namespace turnstile::detail
