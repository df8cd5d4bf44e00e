// SPDX-License-Identifier: BSL-1.0
// Downgrades and upgrades of the tickets of one lock path.
#pragma once

#include "protocol/queue/ticket.hpp"
#include "protocol/session_context.hpp"
#include "protocol/wire/message.hpp"

#include <cstdint>

namespace turnstile::protocol {

class lock_queue;
class predecessor_order;
class ticket_table;

/// Makes a writer a reader, and a reader a writer. A ticket with a change under way has its state
/// in `ticket::change`, and the callers that wait for the end in `ticket::wishes`. lock_queue owns
/// this object, and reports connections and the events of such a ticket's node to it. The answers
/// to its requests, and its timers, may erase the ticket. Its public functions erase none. (Rules:
/// docs/internals/protocol/shared.md)
class ticket_changes {
public:
    ticket_changes(session_context& shared, ticket_table& table, lock_queue& queue,
                   predecessor_order& order)
        : context_(shared), table_(table), queue_(queue), order_(order) {}

    /// Makes the writer a reader. lock_listener::on_downgraded() gets the end.
    void downgrade(ticket& who, ticket_id caller);
    /// Makes the reader a writer, if no other ticket stands. lock_listener::on_upgraded() gets the
    /// end. `writer` is the id of the new exclusive ticket, and `mark` marks its data.
    void upgrade(ticket& who, ticket_id caller, ticket_id writer, const request_mark& mark);
    /// Ends the upgrade without success.
    void end_upgrade(ticket& who, failure why, zookeeper_code code = zookeeper_code::ok);
    /// Ends what callers wait for: the lock is lost, or its ticket is gone.
    void end_all(ticket& who, failure why);

    /// A connection is there, and this ticket's downgrade was under way: asks how it ended.
    void resume(ticket& who) { read_both_names(who); }
    /// Sends the downgrade that the holder waits for, once nothing is in its way.
    void begin_downgrade();
    /// The node is gone while a downgrade is open: awaits the answer for a while.
    void await_downgrade(ticket& who);

private:
    void send_downgrade(ticket& who);
    /// `in_doubt`: an earlier try may still be carried out.
    void on_downgrade_answer(ticket& who, const reply& answer, bool in_doubt);
    /// Finds out how a downgrade ended: reads the old name, and then the new one.
    void read_both_names(ticket& who);
    void on_old_name_read(ticket& who, const reply& answer);
    void on_new_name_read(ticket& who, const reply& answer);
    /// The downgrade was carried out. `czxid`: of the new node; 0: the answer did not have it.
    void become_reader(ticket& who, std::int64_t czxid);
    /// Reports the end of the downgrade, if a caller waits for it.
    void end_downgrade(ticket& who, failure why, zookeeper_code code = zookeeper_code::ok);

    /// Asks whether the ticket stands alone.
    void check_alone(ticket& who);
    /// Makes the exclusive ticket.
    void send_upgrade(ticket& who);
    /// `who` is null if the reader holds the lock no more, or is not to be upgraded any more.
    void on_upgrade_answer(ticket* who, ticket& writer, const reply& answer);
    /// A request of the upgrade failed: ends the upgrade with what this answer means.
    void refuse_upgrade(ticket& who, const reply& answer);

    session_context& context_;
    ticket_table& table_;
    lock_queue& queue_;
    predecessor_order& order_;
};

} // namespace turnstile::protocol
