// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"
#include "support/proxy_rule.hpp"

namespace turnstile::matrix {

/// Which frame is meant.
struct frame_pattern {
    enum class about {
        handshake,
        lock_path,
        ticket,     ///< in a line
        shared,     ///< a reader's ticket
        downgraded, ///< a ticket of one that was a writer
        limit,      ///< of a semaphore; this and the next ones
        leases,
        lease,
        first_path, ///< of several locks, in the order of their keys; this and the next ones
        second_path,
        third_path,
        first_ticket,
        second_ticket
    };

    test::direction direction;
    test::op op;
    about what;
    test::op part = test::op::any; ///< of a transaction
    test::op last = test::op::any; ///< part of a transaction

    /// The rule is for such a frame. `session` is the unlucky one's, 0 before it has one.
    void aim(test::proxy_rule& rule, const std::string& path, std::int64_t session) const;

    /// What comes once there is a ticket.
    [[nodiscard]] bool is_of_ticket() const;
    /// What makes the ticket.
    [[nodiscard]] bool makes_ticket() const;
    /// What makes the tickets of several locks: after an unknown outcome they are taken back.
    [[nodiscard]] bool makes_batch() const { return makes_ticket() && what == about::first_path; }
};

} // namespace turnstile::matrix
