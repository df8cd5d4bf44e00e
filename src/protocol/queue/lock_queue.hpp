// SPDX-License-Identifier: BSL-1.0
// The tickets of one session under one lock path, from the enqueue to the deletion of their nodes.
#pragma once

#include "protocol/queue/lock_directory.hpp"
#include "protocol/queue/path_bytes.hpp"
#include "protocol/queue/path_tickets.hpp"
#include "protocol/queue/pending_deletes.hpp"
#include "protocol/queue/predecessor_order.hpp"
#include "protocol/queue/recovery.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/queue/ticket_changes.hpp"
#include "protocol/queue/ticket_enqueues.hpp"
#include "protocol/queue/ticket_table.hpp"
#include "protocol/session_context.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// Takes the tickets of this session under one lock path through their lives: grants each one the
/// lock, reports its loss, and ends it at its release. Its parts do the rest: ticket_enqueues makes
/// the nodes, predecessor_order finds the ticket that each of them waits for, pending_deletes
/// deletes the nodes, and recovery looks for those of lost answers. A ticket's phase says how far
/// it is (ticket_phase.hpp). The queue rests once no ticket and no request of it is left.
///
/// queue_registry has one for each lock path, and brings it the acquires, events and beats.
/// ticket_batch and semaphore enter tickets, too.
///
/// A ticket ends inside the function that ends it, so its reference may dangle afterwards. These
/// may erase the ticket that they are called with: enter, cancel, cancel_caller, release,
/// leave_with_transaction, on_watch, on_missed_event, on_deleted_outside, on_first_in_line,
/// fail_if_may_not_wait (if it returns true) and erase.
///
/// Its files: lock_queue.cpp has incarnations, cancels, deletions and connections.
/// lock_queue_grant.cpp has grants, losses, releases, and what events show of the nodes. (Rules:
/// docs/internals/protocol/queue.md, shared.md, multi.md and recovery.md)
class lock_queue {
public:
    /// `lock`: the path is a lock path, and the queue makes its node if that is missing. `part`:
    /// the path is the queue of a semaphore, and the semaphore makes its node.
    enum class purpose { lock, part };

    lock_queue(session_context& shared, std::string path, ticket_table& table, purpose use,
               ticket_naming naming);
    lock_queue(const lock_queue&) = delete;
    lock_queue& operator=(const lock_queue&) = delete;

    const std::string& path() const { return path_; }
    /// What a beat may check while this queue is busy (lock_kind::busy_node).
    const std::string& node_to_check() const { return path_; }
    std::string path_of(const ticket& who) const { return who.name.under(path_); }
    ticket_naming naming() const { return naming_; }
    bool is_part() const { return purpose_ == purpose::part; }
    /// If the queue rests: how many tickets it has had so far. An equal number later shows that it
    /// was not used in between (locks_by_path). Nothing if the queue does not rest.
    std::optional<std::uint64_t> resting() const {
        const bool rests = tickets_.empty() && leaving_.empty() && !leaving_.has_undeletable() &&
                           !recovery_.pending() && !directory_.is_busy();
        return rests ? std::optional{uses_} : std::nullopt;
    }

    // Its parts.
    lock_directory& directory() { return directory_; }
    const lock_directory& directory() const { return directory_; }
    path_tickets& tickets() { return tickets_; }
    const path_tickets& tickets() const { return tickets_; }
    path_bytes& bytes() { return bytes_; }
    ticket_enqueues& enqueues() { return enqueues_; }
    predecessor_order& order() { return order_; }
    ticket_changes& changes() { return changes_; }
    const pending_deletes& leaving() const { return leaving_; }
    recovery& lost_answers() { return recovery_; }

    // The incarnation of the path. Four sources show it, the least certain first. A wrong one does
    // no harm: the answer to the next enqueue corrects it.
    /// A caller names this incarnation. It counts if none is known.
    void suggest_incarnation(std::int64_t incarnation);
    /// The semaphore has read this incarnation. It counts if no ticket stands here: tickets prove
    /// more.
    void expect_incarnation(std::int64_t incarnation) {
        if (tickets_.standing().empty())
            directory_.on_found(incarnation);
    }
    /// Another lock_directory of this session has found the lock path, with its incarnation.
    void take_over_incarnation(const lock_directory& by);
    /// An answer shows this incarnation. Tickets of another one are gone.
    void learn_incarnation(std::int64_t incarnation);

    // A ticket's life.
    /// Makes a ticket without a node. The caller sets it up, and then enters it.
    ticket& add(ticket_id id);
    /// Enqueues the ticket, or lets it wait for the session's budget.
    void enter(ticket& who);
    /// The ticket waits for no other any more. It is granted once the lease is fresh (G1), and once
    /// an answer on this connection has shown the node (Q10).
    void on_first_in_line(ticket& who);
    /// Fails the ticket's acquire if it may not wait. True: it has failed.
    bool fail_if_may_not_wait(ticket& who);
    /// Fails all acquires that wait by this ticket. Does nothing once the ticket was granted.
    void cancel(ticket& who, failure why, zookeeper_code code = zookeeper_code::ok);
    /// Fails the acquire of one caller. The others that share the ticket go on waiting.
    void cancel_caller(ticket& who, ticket_id caller, failure why);
    /// The lock is lost by its deadline or its limit. The ticket keeps its place until later (L8).
    void lose(ticket& who, failure why);
    /// One of the callers that share the ticket lets go. At the last one the node is deleted.
    void release(ticket& who, ticket_id caller);
    /// The semaphore's transaction has taken permits and deleted the node of this ticket, which was
    /// the first in the queue (line_taker).
    void leave_with_transaction(ticket& who);
    /// That transaction was not carried out: the ticket's node stands.
    void on_not_taken(ticket& who);
    /// The last step of an upgrade: the reader's ticket takes over the node of the ticket `writer`,
    /// which is erased. The reader's old node is deleted.
    void take_node_of(ticket& who, ticket& writer);
    /// Deletes the node plainly, and lets the next tickets search. The caller erases the ticket.
    void give_up_place(ticket& who);
    /// Deletes the node. The ticket stands no more, and the caller erases it. `notify`: the release
    /// that waits for the deletion; 0: none. `next`: the tickets that hold the lock from now on.
    void delete_node(ticket& who, delete_form form, ticket_id notify = 0,
                     std::vector<ticket_name> next = {});
    void erase(ticket& who);

    // Nodes that an event or an answer has reported.
    void on_watch(ticket& who, const std::string& node, watch_event event);
    /// Watches the ticket's own node, to learn of its end (Q14). The watch is on the children. A
    /// ticket has none, so the watch fires at the end of the node alone, and not when a release
    /// sets the data. With `settings::watches_own_data` the watch is on the data: some servers do
    /// not report the end to the first kind. `ticket::watches_itself` has the state of the watch.
    void watch_own(ticket& who);
    void watch_own_later(ticket& who, duration delay);
    /// Drops the watch on the own node: this session deletes the node, or the ticket gets another.
    void forget_own_watch(ticket& who);
    /// The ticket's predecessor is gone, and the event was lost (Q15a).
    void on_missed_event(ticket& who);
    /// Another program has deleted the ticket's node. If only a read shows that, the node is
    /// deleted all the same: an orphan would block the queue, and no name is used twice (Q15).
    enum class evidence { certain, read };
    void on_deleted_outside(ticket& who, evidence known_by = evidence::certain);
    /// Ends the tickets for which `is_vanished` holds: another program has deleted them.
    void remove_vanished(const std::function<bool(const ticket&)>& is_vanished, evidence known_by);
    /// The node of this name is gone. If it was a ticket of this session, its event may come later
    /// or never: the ticket counts as deleted now.
    void on_ticket_gone(const ticket_name& name);
    /// A deletion has ended: its node is gone, or may not be deleted.
    void on_deletion_ended();
    /// Whether a node is one of this session's tickets, or leaving.
    bool knows(const ticket_name& name) const;
    /// Deletes a node of this session, unless it belongs to a ticket.
    void delete_unknown(const ticket_name& name, std::int64_t czxid);

    // Events of the session, as lock_kind has them.
    void abandon_all();
    void on_connected();
    void on_disconnected();
    /// `releases`: how each release ends that was not answered.
    void on_expired(failure releases = failure::none);
    void retry_denied() { leaving_.retry_denied(); }
    void stop_waiting_for_releases() { leaving_.stop_waiting(failure::unreachable); }

private:
    watch_kind own_watch_kind() const {
        return context_.options.watches_own_data ? watch_kind::data : watch_kind::children;
    }
    /// Does the next step on the way to the ticket's grant.
    void prove(ticket& who, grant_step next);
    void grant(ticket& who);
    /// The last caller lets go of a lock that is held.
    void delete_and_hand_over(ticket& who, ticket_id caller);
    /// Erases a released ticket, and passes its place on to the next tickets of this session.
    void hand_over(ticket& who, const std::vector<ticket*>& successors);
    /// The holder has lost its lock, and the ticket keeps no place: erases it.
    void lose_place(ticket& who, failure why);
    /// Reports the failure of a ticket's acquire to its taker, or to each of its callers.
    void tell_failed(ticket_id id, line_taker* taker, const std::vector<ticket_id>& callers,
                     failure why, zookeeper_code code);

    session_context& context_;
    ticket_table& table_;
    const std::string path_;
    const purpose purpose_;
    const ticket_naming naming_;
    lock_directory directory_;
    pending_deletes leaving_;
    recovery recovery_;
    predecessor_order order_;
    ticket_changes changes_;
    path_tickets tickets_;
    path_bytes bytes_;
    ticket_enqueues enqueues_;
    std::set<ticket_id> held_back_; // first in line, while a guarded write may still come (W5)
    /// The incarnation that all tickets were last compared with.
    std::int64_t compared_incarnation_ = 0;
    std::uint64_t uses_ = 0; // tickets so far
};

} // namespace turnstile::protocol
