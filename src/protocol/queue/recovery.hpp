// SPDX-License-Identifier: BSL-1.0
// What became of creates whose outcome is unknown.
#pragma once

#include "protocol/queue/ticket_table.hpp"

#include <memory>
#include <string>
#include <vector>

namespace turnstile::protocol {

class lock_queue;

/// After the reconnect's barrier, lists the lock path once and reads the children that could be
/// ours: those of the create's incarnation above the highest sequence that was seen there when it
/// was sent. Ours are those whose owner is this session and whose data carries the request id: the
/// lowest is kept, the others are deleted. A time T later it lists once more and deletes what is
/// this session's and stands in no table, since a create held back on its way may appear late. A
/// refusal is no answer: all stays open, and T/8 later it lists again.
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
    /// The fate of at least one create is still open.
    bool open() const { return running_ != nullptr || unresolved(); }
    /// A node of this session that stands in no table was met on the way.
    void meet_stray(const ticket_name& name, std::int64_t czxid);
    /// Nodes of these names may appear late, as others than those that this session knows.
    void expect_late(const std::vector<ticket_name>& names);

private:
    struct own_node {
        ticket_name name;
        std::int64_t czxid;
        std::string request{};
    };
    struct run { // one listing and the reads that follow from it
        std::vector<ticket_id> tickets;
        bool sweep = false; // the second listing, a time T after the first
        std::vector<own_node> finds;
        std::size_t open = 0;
        std::int64_t incarnation = 0; // of the lock path as it was listed
    };

    bool unresolved() const;
    void begin();
    void examine(const std::shared_ptr<run>& current, const reply& listing);
    void on_read(const std::shared_ptr<run>& current, const ticket_name& name, const reply& answer);
    void refuse(const std::shared_ptr<run>& current, zookeeper_code code);
    void conclude(const std::shared_ptr<run>& current);
    void sweep_later();
    void delete_strays();

    session_context& context_;
    ticket_table& table_;
    lock_queue& queue_;
    std::shared_ptr<run> running_;
    timer again_; // after a refusal
    timer sweep_;
    bool sweep_wanted_ = false; // its timer runs, or fired without a connection
    std::int32_t sweep_floor_ = -1;
    std::vector<ticket_name> late_; // that the sweep looks for, too
    std::vector<own_node> strays_;  // met while the fate of a create was open
    std::int64_t sweep_incarnation_ = 0;
};

} // namespace turnstile::protocol
