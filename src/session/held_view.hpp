// SPDX-License-Identifier: BSL-1.0
// Reads whether a lock is held, on any thread.
#pragma once

#include <turnstile/lease_clock.hpp>

namespace turnstile::detail {

/// Reads the instants of the lease first, then the clock, then the loss. This order matters: a lock
/// is lost, and then a later proof moves the instants on. The strand writes the loss before these
/// instants. So a reader that finds the later instants finds the loss, too, even if it is preempted
/// in between. `Reads` has is_lost(), last_deadline(), now() and the session's deadline(),
/// loss_at() and risk().
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
