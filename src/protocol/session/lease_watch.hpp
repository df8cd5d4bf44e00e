// SPDX-License-Identifier: BSL-1.0
// What the lease deadline means for the locks that are held: first at risk, then lost.
#pragma once

#include "protocol/session_context.hpp"

#include <functional>
#include <utility>

namespace turnstile::protocol {

/// Tells both in time, or, where the process stood still, before anything else. A loss by deadline
/// is always preceded by the risk of it.
class lease_watch {
public:
    using lose_handler = std::function<void(ticket_id)>;

    lease_watch(session_context& shared, lose_handler lose)
        : context_(shared), lose_(std::move(lose)), next_(shared.clock) {}

    /// Before each input.
    void check();
    /// After each input: the lease may have moved on, and what is held may have changed.
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
