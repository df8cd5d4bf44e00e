// SPDX-License-Identifier: BSL-1.0
// Finds the predecessor of each ticket in the queue of a lock, and watches it.
#pragma once

#include "protocol/queue/ticket.hpp"
#include "protocol/wire/message.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

class lock_queue;
class ticket_table;
struct session_context;

/// Finds and watches the predecessor of each waiting ticket. A lock_queue owns this object, and
/// calls it. The ticket's phase says how far its search is. This object keeps only the searches
/// that a busy server has put off.
///
/// - An exclusive ticket waits for the ticket right before it, a shared one for the nearest
///   exclusive one.
/// - One `get` finds the predecessor if it has the next lower number (rule Q5). If not, one list
///   finds it (Q6).
/// - A shared ticket asks for a reader right before it in the same round trip (R3). If that reader
///   has marked its ticket, no list is needed (R5). No acquire waits for a mark.
/// - A predecessor of this session gets no watch at the server: the queue knows when it goes (Q12).
/// (Rules: docs/internals/protocol/queue.md and shared.md)
class predecessor_order {
public:
    predecessor_order(session_context& shared, ticket_table& table, lock_queue& owner)
        : context_(shared), table_(table), queue_(owner), again_(shared.clock) {}

    /// Whether the newcomer would have to wait for a ticket of this session.
    bool is_blocked(const ticket& newcomer) const;
    /// The ticket's node was made. The lock path had this many children right before that.
    void on_enqueued(ticket& who, std::int32_t children);
    /// Looks for the ticket's predecessor, from the next lower number down.
    void search(ticket& who) { search_at(who, who.name.sequence - 1); }
    /// A reconnect ended all watches: the search begins at the predecessor that was watched.
    void search_again(ticket& who);
    /// Reads whether a waiting ticket and its predecessor still stand: an event may be lost (Q15a).
    void check_by_reads(ticket& who);
    /// A node other than the ticket's own has changed, or is gone.
    void on_watch(ticket& who, const std::string& node, watch_event event);
    /// The ticket waits for no predecessor any more: takes its watch off.
    void forget(ticket& who);
    /// The ticket was granted the lock. A reader's mark says that no writer stands below it (R4).
    void write_clear_mark(const ticket& who);

    /// The tickets of this session that wait for this ticket without a watch at the server. The
    /// queue asks for them before the ticket leaves or changes, and passes them on afterwards:
    std::vector<ticket*> local_successors(const ticket& who) const;
    /// - the ticket was released. `kept_readers_out`: it held the lock to write.
    void on_release(bool kept_readers_out, const std::vector<ticket*>& successors);
    /// - the ticket left the queue before it was granted the lock, or after the lock was lost.
    void on_leave(ticket& departing, const std::vector<ticket*>& successors);
    /// - the ticket's writer has become a reader in its place (D3).
    void on_downgrade(ticket& who, const std::vector<ticket*>& successors);

private:
    /// Sets the watch on the ticket's own node. It comes before the watch on the predecessor, since
    /// events come in the order of their transactions: a ticket that was deleted gets that event
    /// before CHANGED of its predecessor could grant the lock (Q14).
    void watch_itself(ticket& who);
    void search_at(ticket& who, std::int32_t sequence);
    void search_later(const ticket& who);
    /// The predecessor is gone: searches behind the reader that it may have become (D2).
    void search_behind_gone(ticket& who, const ticket_name& gone);
    void on_downgraded_before(ticket& who, const ticket_name& name, const reply& answer);
    /// Reads the node that may be the predecessor, with a watch.
    void get_before(ticket& who, const std::string& name);
    void on_before(ticket& who, const std::string& name, const reply& answer);
    /// The predecessor is a node of another session, or a stray of this one: the ticket waits for
    /// it by a watch.
    void watch_predecessor(ticket& who, const std::string& name, const contender& before,
                           const reply& answer);
    /// Asks for a reader with this number (R3).
    void get_reader_before(ticket& who, std::int32_t sequence);
    /// The list of check_by_reads() was answered.
    void on_checked(ticket& who, const reply& listing);
    /// Lists the lock path, to find the predecessor (Q6).
    void list(ticket& who);
    void on_list(ticket& who, const reply& answer);
    /// Whether the ticket waits for this child of the path, if no nearer one is found.
    bool waits_for(const ticket& who, const std::string& child, const contender& other) const;
    /// A list has shown the nearest child that the ticket waits for, by its name and number. Null,
    /// and -1: there is none.
    void on_nearest(ticket& who, const std::string* nearest, std::int32_t nearest_number);
    // These end the search at a ticket of this session. The ticket waits for it from then on, or
    // fails if it may not wait.
    void stand_behind(ticket& who, const ticket& own);
    /// At the exclusive ticket of this name. False: it does not stand.
    bool stand_behind_own(ticket& who, const ticket_name& name);
    /// At a ticket with a number above this one that keeps its place without a node. False: there
    /// is none.
    bool stand_behind_place_without_node(ticket& who, std::int32_t above);
    /// The successor waits for the node that the departing ticket has waited for.
    void inherit_watch(ticket& successor, const ticket& departing);
    /// Takes the ticket's watch on its predecessor off.
    void unwatch(const ticket& who);

    session_context& context_;
    ticket_table& table_;
    lock_queue& queue_;
    std::vector<std::pair<ticket_id, std::uint64_t>> put_off_{}; // searches, by ticket and epoch
    timer again_; // asks for them again after a server had too much to do
};

} // namespace turnstile::protocol
