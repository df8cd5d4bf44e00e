// SPDX-License-Identifier: BSL-1.0
// Makes the nodes of the tickets of one lock path.
#pragma once

#include "protocol/queue/ticket.hpp"
#include "protocol/session_context.hpp"
#include "protocol/wire/message.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::protocol {

class lock_queue;
class path_tickets;
class predecessor_order;
class ticket_table;

/// Sends the enqueue of each ticket, once the connection is there and the lock path is known, and
/// takes its answer. It makes a ticket anew whose node is gone. lock_queue owns this object.
///
/// The enqueue makes a ticket, and shows whether it stands alone (Q1). It is the transaction
/// multi(set_data(lock path), create(ticket)). The set's stat is that of the lock path right before
/// the create: its czxid is the incarnation, its numChildren says how many stand there, and its
/// mzxid is the transaction's, and so the ticket's czxid.
///
/// All functions may erase the ticket that they are called with, but for begin(), data_of() and
/// enter_in_batch().
class ticket_enqueues {
public:
    ticket_enqueues(session_context& shared, ticket_table& table, lock_queue& queue,
                    path_tickets& tickets, predecessor_order& order)
        : context_(shared),
          table_(table),
          queue_(queue),
          tickets_(tickets),
          order_(order),
          again_(shared.clock) {}

    /// Sends the enqueue of a ticket that has no node.
    void send(ticket& who);
    /// Sends the enqueues of all tickets that are unplaced.
    void send_all();
    /// The lock path can be neither found nor made.
    void fail_all(failure why, zookeeper_code code);
    /// Sends enqueues of any queue that have waited in the table's window, while that has room.
    static void send_next(ticket_table& table);
    /// The node is gone: makes it anew.
    void restart(ticket& who);

    /// The request that makes the ticket's node is about to be sent.
    void begin(ticket& who, std::int64_t incarnation);
    /// The data of the ticket's node.
    std::string data_of(const ticket& who) const;
    /// A transaction has made this node. If its number was given before, the servers have lost
    /// transactions: the tickets from there on are gone (Q17).
    void check_number(const std::string& node, std::int32_t sequence);
    /// The ticket's node exists. It stands from now on, or is deleted if its callers have gone.
    void on_made(ticket& who, std::int64_t czxid, std::int32_t sequence);

    // Called by recovery.
    /// An unresolved create made this node. The lock path has this incarnation now.
    void adopt(ticket& who, const ticket_name& name, std::int64_t czxid, std::int64_t incarnation);
    /// An unresolved create made no node.
    void on_not_made(ticket& who);

    // One transaction makes tickets of several lock paths (ticket_batch). Such a ticket is made
    // only once: if anything keeps it from its place, it is taken back (T3).
    /// Whether the lock seems to be free, and its path has this incarnation.
    bool may_enter_in_batch(std::int64_t wanted) const;
    /// Adds the steps that make the ticket to a transaction.
    void enter_in_batch(ticket& who, std::vector<transaction_step>& steps);
    /// The transaction was answered. Returns whether the ticket is an owner now. `keeps`: it may
    /// stay, as owner or waiter (T1). If not, it is taken back.
    bool on_batch_answered(ticket& who, const reply& answer, bool keeps);
    /// The transaction was refused because of another of its tickets.
    void on_other_ticket_refused(ticket& who);

private:
    /// The create was answered. It goes on with on_enqueued() or on_refused(), or the outcome is
    /// unknown.
    void on_answer(ticket& who, const reply& answer);
    void on_enqueued(ticket& who, const reply& answer);
    void on_refused(ticket& who, const reply& answer);
    /// The node's name has the incarnation of a path that was deleted: makes another node.
    void leave_wrong_incarnation(ticket& who);

    session_context& context_;
    ticket_table& table_;
    lock_queue& queue_;
    path_tickets& tickets_;
    predecessor_order& order_;
    timer again_; // sends again after a server had too much to do
};

} // namespace turnstile::protocol
