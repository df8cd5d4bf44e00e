// SPDX-License-Identifier: BSL-1.0
// Tells when the lease runs out: held locks are first at risk, then lost.
#pragma once

#include "protocol/session_context.hpp"

#include <functional>
#include <utility>

namespace turnstile::protocol {

/// Tells the risk and then the loss at their instants. If the process stood still then, it tells
/// them before the next input is carried out. The risk always comes before the loss.
/// session_machine owns it, and calls it around each input.
class lease_watch {
public:
    using lose_handler = std::function<void(ticket_id)>;

    lease_watch(session_context& shared, lose_handler lose)
        : context_(shared), lose_(std::move(lose)), next_(shared.clock) {}

    /// Before each input: tells what is due.
    void check();
    /// After each input: sets the timer anew, since the lease or the held locks may have changed.
    void arm();

private:
    void tell_risk(bool at_risk);
    bool is_due(duration ahead) const;

    session_context& context_;
    lose_handler lose_;
    timer next_; // the risk, and then the loss
    bool at_risk_ = false;
};

} // namespace turnstile::protocol
