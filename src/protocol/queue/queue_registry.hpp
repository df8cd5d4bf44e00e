// SPDX-License-Identifier: BSL-1.0
// The queues of a session, by lock path.
#pragma once

#include "protocol/locks_by_path.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// Finds the lock_queue of each acquire, ticket and event. lock_kinds owns it. An idle queue keeps
/// its path's incarnation, which saves a round trip. When a queue is forgotten, its lock path is
/// deleted if this session made it and it is empty. The server would do that, too, but more slowly
/// than new names may come.
class queue_registry final : public locks_by_path<lock_queue> {
public:
    explicit queue_registry(session_context& shared) : locks_by_path(shared), table_(shared) {}

    /// The queue of a path. The first call makes it, and its naming stays.
    lock_queue& at(const std::string& path, lock_queue::purpose why = lock_queue::purpose::lock,
                   ticket_naming naming = ticket_naming::lock) {
        return locks_by_path::at(path, table_, why, naming);
    }
    ticket_table& tickets() { return table_; }
    /// Makes the ticket of an acquire. It ends at the acquire's limit.
    ticket& make_ticket(ticket_id id, lock_queue& where, const acquire_request& what,
                        std::optional<instant> end);

    bool occupies(const acquire_request& what) const override;
    /// A lock path below another would be a child that is no contender: each search of the upper
    /// one would be a listing. A queue that is a part of a lock is asked for there.
    bool is_nested(const std::string& path) const override;

    void on_path_found(const acquire_request& what, const lock_directory& by) override;
    void acquire(ticket_id id, const acquire_request& what, std::optional<instant> end) override;
    bool cancel(watcher_id id, failure why) override;
    bool knows(ticket_id id) const override { return table_.of_caller(id) != nullptr; }
    bool share(ticket_id holder, ticket_id further) override;
    failure downgrade(ticket_id id) override;
    failure upgrade(ticket_id id, ticket_id writer) override;
    bool release(ticket_id id) override;
    bool lose(ticket_id id) override;
    std::vector<std::string> nodes_of(ticket_id id) const override;
    std::vector<transaction_step> proof_of(ticket_id caller) const override;
    std::size_t sharers_of(const std::string& path, const std::string& node) const override;
    void for_each_waiting(const waiting_action& action) const override;
    bool empty() const override { return table_.empty(); }

    void search_again() override;
    void on_disconnected() override;
    bool on_watch(watcher_id watcher, watch_event event, const std::string& node) override;
    /// A waiting ticket whose event is lost would wait for ever, and all behind it. Events come
    /// before later answers on one connection: if a check does not find the predecessor of a ticket
    /// that still waits for it, the event was lost.
    bool on_missing(const std::string& node) override;
    /// Checks some of the tickets that wait for another session's ticket, in turn, so that each is
    /// checked within T. A check names the ticket's node, and then its predecessor's. It goes into
    /// the beat while there is room. After that, or with `by_reads`, it is done by reads of its
    /// own.
    void add_checks(std::vector<std::string>& nodes, bool by_reads);
    /// Whether each ticket waits, far from the front.
    bool all_are_far() const;
    /// The lock path of a waiting ticket, of each in turn; empty if no ticket waits. A read of it
    /// shows how many nodes stand before its tickets (L3b).
    std::string next_waiting_path();
    /// That path was read: reports to its tickets how many nodes stand before them.
    void on_path_counted(const std::string& path, const reply& answer);
    std::optional<std::string> busy_node() const override;
    void end_input() override;

private:
    void join(ticket& who, ticket_id id, std::optional<instant> end);
    void search_next_batch();
    std::vector<ticket_id> take_due_checks(bool by_reads);
    void end_wait(ticket_id id);
    duration review_interval() const override;
    bool retire(const std::string& path, lock_queue& idle) override;

    ticket_table table_;
    // After a reconnect no watch is armed, and every waiter has to search again. Ten thousand
    // searches at once would be answered late, and hold up beats and releases behind them.
    path_tickets::searches searches_;
    std::size_t retiring_ = 0; // requests that ask for the end of a path
    ticket_id last_checked_ = 0;
    std::size_t reads_due_ = 0; // in sixths of a ticket
    ticket_id last_counted_ = 0;
};

} // namespace turnstile::protocol
