// SPDX-License-Identifier: BSL-1.0
// Reports when the lease runs out: held locks are first at risk, then lost.
#pragma once

#include "protocol/session/lock_kinds.hpp"
#include "protocol/session_context.hpp"

namespace turnstile::protocol {

/// Reports the risk and then the loss at their instants. If the process stood still then, it
/// reports them before the next input is carried out. The risk always comes before the loss.
/// session_machine owns it, and calls it around each input.
class lease_watch {
public:
    lease_watch(session_context& shared, lock_kinds& kinds)
        : context_(shared), kinds_(kinds), next_check_(shared.clock) {}

    /// Before each input: reports what is due.
    void check();
    /// After each input: sets the timer anew, since the lease or the held locks may have changed.
    void arm();

private:
    /// Reports whether the held locks are at risk, if that has changed.
    void tell_risk(bool at_risk);
    /// Whether the lease ends within this time.
    bool is_due(duration ahead) const;

    session_context& context_;
    lock_kinds& kinds_;
    timer next_check_;       // when the risk begins, and then when the loss is due
    bool told_risk_ = false; // what tell_risk() reported last
};

} // namespace turnstile::protocol
