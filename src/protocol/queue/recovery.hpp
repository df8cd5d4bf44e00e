// SPDX-License-Identifier: BSL-1.0
// Finds out what became of creates whose outcome is unknown.
#pragma once

#include "protocol/queue/ticket_table.hpp"

#include <memory>
#include <string>
#include <vector>

namespace turnstile::protocol {

class lock_queue;

/// A lock_queue owns it, and reports connections to it. It works once the first write of a new
/// connection was sent. It lists the lock path, and reads the children that a create may have made:
/// those of its incarnation above the highest sequence that was seen when it was sent. A node is
/// the ticket's if this session owns it and its data carries the request's mark. The lowest of them
/// is kept, and the others are deleted. A time T later it lists once more (the sweep), since a
/// create may be carried out late: it deletes the session's nodes that belong to no ticket. If a
/// server refuses to answer, it lists again T/8 later.
class recovery {
public:
    recovery(session_context& shared, ticket_table& table, lock_queue& owner)
        : context_(shared),
          table_(table),
          queue_(owner),
          again_(shared.clock),
          sweep_(shared.clock) {}

    void on_connected();
    void on_disconnected();
    void on_expired();
    bool pending() const { return running_ != nullptr || sweep_wanted_; }
    /// Whether the outcome of a create is still unknown.
    bool open() const { return running_ != nullptr || unresolved(); }
    /// A search has met a node of this session that belongs to no ticket.
    void meet_stray(const ticket_name& name, std::int64_t czxid);
    /// Nodes with these names may appear late.
    void expect_late(const std::vector<ticket_name>& names);

private:
    struct own_node {
        ticket_name name;
        std::int64_t czxid;
        std::string request{};
    };
    struct run { // one listing and the reads that follow from it
        std::vector<ticket_id> tickets;
        bool is_sweep = false; // the second listing, a time T after the first
        std::vector<own_node> finds;
        std::size_t open = 0;
        std::int64_t incarnation = 0; // of the lock path as it was listed
    };

    bool unresolved() const;
    std::int32_t highest_known(const run& current, std::int64_t listed) const;
    void begin();
    void on_listed(const std::shared_ptr<run>& current, const reply& listing);
    void on_read(const std::shared_ptr<run>& current, const ticket_name& name, const reply& answer);
    void on_refused(const std::shared_ptr<run>& current, zookeeper_code code);
    void assign_nodes(const std::shared_ptr<run>& current);
    void sweep_later();
    void delete_strays();

    session_context& context_;
    ticket_table& table_;
    lock_queue& queue_;
    std::shared_ptr<run> running_;
    timer again_; // after a refusal
    timer sweep_;
    bool sweep_wanted_ = false; // a sweep is due: now, or when its timer ends
    std::int32_t sweep_floor_ = -1;
    std::vector<ticket_name> late_; // names that the sweep looks for, too
    std::vector<own_node> strays_;  // met while a create was unresolved
    std::int64_t sweep_incarnation_ = 0;
};

} // namespace turnstile::protocol
