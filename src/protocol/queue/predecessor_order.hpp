// SPDX-License-Identifier: BSL-1.0
// The order of mutexes and shared locks: each waits for the nearest ticket before it that counts.
#pragma once

#include "protocol/queue/queue_order.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

class lock_queue;
struct machine_context;

/// An exclusive ticket waits for the one before it, a shared one for the nearest exclusive one. One
/// get finds it where the neighbour is there, one list where it is not. A shared ticket asks in the
/// same flight for a reader right before it: where many readers stand, those that hold the lock
/// mark their tickets, and whoever comes behind one needs no list. Nobody waits for a mark. A
/// ticket of this session
/// needs no watch at the server: the queue knows when that ticket goes.
class predecessor_order final : public queue_order {
public:
    /// What becomes of a ticket that nobody stands before any more.
    using first_handler = std::function<void(ticket&)>;

    predecessor_order(machine_context& shared, lock_queue& place, first_handler first)
        : context_(shared), queue_(place), first_(std::move(first)) {}

    bool is_blocked(const ticket& newcomer) const override;
    void on_enqueued(ticket& who, std::int32_t children) override;
    void search(ticket& who) override;
    void search_again(ticket& who) override;
    void on_watch(ticket& who, const std::string& node, watch_event event) override;
    void forget(ticket& who) override;

    void on_grant(ticket& who) override;
    delete_form form_of_release(const ticket& holder) const override;
    std::vector<ticket*> heirs_of(const ticket& who) const override;
    void on_release(ticket_kind released, const std::vector<ticket*>& heirs) override;
    void on_leave(ticket& leaver, const std::vector<ticket*>& heirs) override;
    void on_downgrade(ticket& who, const std::vector<ticket*>& heirs) override;
    void on_vanish(const std::vector<ticket*>& heirs) override;

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
    void get_reader_before(ticket& who, const std::string& name);
    void mark_clear(const ticket& who);
    void refuse(ticket& who, zookeeper_code code);
    void list(ticket& who);
    void on_list(ticket& who, const reply& answer);
    bool stand_behind_own(ticket& who, const ticket_name& name);
    void unwatch(const ticket& who);

    machine_context& context_;
    lock_queue& queue_;
    first_handler first_;
};

} // namespace turnstile::protocol
