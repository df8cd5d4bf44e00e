// SPDX-License-Identifier: BSL-1.0
// The order of mutexes and shared locks: each waits for the nearest ticket before it that counts.
#pragma once

#include "protocol/queue/ticket.hpp"
#include "protocol/wire/message.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::protocol {

class lock_queue;
class ticket_table;
struct session_context;

/// An exclusive ticket waits for the one before it, a shared one for the nearest exclusive one. One
/// get finds it where the neighbour is there, one list where it is not. A shared ticket asks in the
/// same flight for a reader right before it: where many readers stand, those that hold the lock
/// mark their tickets, and a reader behind one needs no list. No acquire waits for a mark. A ticket
/// of this session needs no watch at the server: the queue knows when that ticket goes.
class predecessor_order {
public:
    predecessor_order(session_context& shared, ticket_table& table, lock_queue& owner)
        : context_(shared), table_(table), queue_(owner) {}

    /// Whether a try of this kind is in vain, as a ticket of this session stands before it.
    bool is_blocked(const ticket& newcomer) const;
    /// So many children stood under the path before its node.
    void on_enqueued(ticket& who, std::int32_t children);
    /// What the ticket waits for is not known, or not any more.
    void search(ticket& who) { search_at(who, who.name.sequence - 1); }
    void search_again(ticket& who); // after a reconnect, which ended all watches
    /// It waits, and an event may have been lost.
    void check_by_reads(ticket& who);
    /// An event of a node that is not the ticket's own.
    void on_watch(ticket& who, const std::string& node, watch_event event);
    /// The ticket waits for nothing any more: its watch counts no longer.
    void forget(ticket& who);
    /// A reader that holds the lock says that no writer stands below it.
    void mark_clear(const ticket& who);

    /// Those of this session that wait for this ticket with no watch at the server. Asked before
    /// the ticket leaves. Those below are called when it stands in the queue no more.
    std::vector<ticket*> local_successors(const ticket& who) const;
    void on_release(bool kept_readers_out, const std::vector<ticket*>& successors);
    /// It left without having owned the lock, or with the lock lost.
    void on_leave(ticket& departing, const std::vector<ticket*>& successors);
    /// It holds the lock to read from here on, in the same place.
    void on_downgrade(ticket& who, const std::vector<ticket*>& successors);

private:
    /// Sets the watch on the ticket's own node before that on its predecessor. Events come in the
    /// order of their transactions: where the ticket is deleted first, it hears of that first, and
    /// CHANGED of its predecessor finds it gone.
    void watch_itself(ticket& who);
    void search_at(ticket& who, std::int32_t sequence);
    void search_behind_gone(ticket& who, const ticket_name& gone);
    void on_downgraded_before(ticket& who, const ticket_name& name, const reply& answer);
    void get_before(ticket& who, const std::string& name);
    void on_before(ticket& who, const std::string& name, const reply& answer);
    void get_reader_before(ticket& who, std::int32_t sequence);
    void on_checked(ticket& who, const reply& listing);
    void list(ticket& who);
    void on_list(ticket& who, const reply& answer);
    /// These three need no watch at the server. True: the search is over.
    bool stand_behind(ticket& who, const ticket& own);
    bool stand_behind_own(ticket& who, const ticket_name& name);
    bool stand_behind_kept(ticket& who, std::int32_t lowest);
    void unwatch(const ticket& who);

    session_context& context_;
    ticket_table& table_;
    lock_queue& queue_;
};

} // namespace turnstile::protocol
