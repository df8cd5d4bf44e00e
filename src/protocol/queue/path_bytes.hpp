// SPDX-License-Identifier: BSL-1.0
// The bytes that the tickets of one lock path take from the session's budget.
#pragma once

#include "protocol/queue/ticket.hpp"
#include "protocol/session_context.hpp"

#include <cstddef>
#include <deque>

namespace turnstile::protocol {

class lock_queue;
class ticket_table;

/// A ticket takes the bytes of its path before it is enqueued, and waits here until the session's
/// budget has room for them. The deletion of its node gives them back. lock_queue owns this object.
class path_bytes {
public:
    path_bytes(session_context& shared, ticket_table& table, lock_queue& queue)
        : context_(shared), table_(table), queue_(queue) {}

    /// Enqueues the ticket once it has its bytes. This may erase the ticket.
    void enter(ticket& who);
    /// Enqueues the tickets that wait, as far as there is room.
    void enter_waiting();
    /// The ticket waits no more.
    void stop_waiting(const ticket& who);
    void stop_all();

    /// The most that one more ticket may cost.
    std::size_t cost_of_one() const;
    /// Takes the bytes of a ticket, whether there is room or not.
    void charge(ticket& who);
    /// What the ticket has taken, for the deletion of its node.
    claim take_from(ticket& who);

private:
    /// False: there is no room. `others_have_some`: bytes of this path, so the last eighth of the
    /// budget is not for this ticket.
    bool take(ticket& who, bool others_have_some);
    /// Whether tickets or deletions of this path have bytes, which they will give back.
    bool has_bytes_here() const;
    void note_wait();

    session_context& context_;
    ticket_table& table_;
    lock_queue& queue_;
    std::deque<ticket_id> waiting_;
    std::size_t placed_ = 0; // tickets that have taken bytes
};

} // namespace turnstile::protocol
