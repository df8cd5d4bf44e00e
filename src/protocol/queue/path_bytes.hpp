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

/// A ticket takes the bytes that its node will cost before it is enqueued, and waits here until the
/// session's budget has room for them. The deletion of its node gives them back. If no ticket or
/// deletion of this path has bytes to give back, the ticket does not wait: its acquire fails
/// (session_full). lock_queue owns this object.
class path_bytes {
public:
    path_bytes(session_context& shared, ticket_table& table, lock_queue& queue)
        : context_(shared), table_(table), queue_(queue) {}

    /// Enqueues the ticket once it has its bytes. This may erase the ticket. lock_queue::enter()
    /// calls it.
    void enter(ticket& who);
    /// Enqueues the tickets that wait, as far as there is room.
    void enter_waiting();
    /// The ticket waits no more.
    void stop_waiting(const ticket& who);
    /// No ticket waits any more.
    void stop_all();

    /// The most that one more ticket may cost.
    std::size_t cost_of_one() const;
    /// Takes the bytes of a ticket, whether there is room or not.
    void charge(ticket& who);
    /// Takes the bytes from the ticket: the deletion of its node has them from now on.
    claim take_from(ticket& who);

private:
    /// False: there is no room. `others_have_some`: others of this path have bytes, so the reserve
    /// is not for this ticket.
    bool take(ticket& who, bool others_have_some);
    /// Whether tickets or deletions of this path have bytes, which they will give back.
    bool has_bytes_here() const;
    /// Notes in the ticket_table whether tickets of this path wait.
    void note_wait();

    session_context& context_;
    ticket_table& table_;
    lock_queue& queue_;
    std::deque<ticket_id> waiting_;
    std::size_t with_bytes_ = 0; // tickets that have taken bytes
};

} // namespace turnstile::protocol
