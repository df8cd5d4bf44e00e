// All of a session machine that what it will do depends on.
#pragma once

#include "state_words.hpp"

#include "protocol/session/session_machine.hpp"

#include <optional>
#include <tuple>

namespace turnstile::protocol {

/// Each part of the machine gives what it remembers, and knows nothing of how it is told apart.
/// Whoever adds a member to one of them adds it to its snapshot, and here; merge_check finds what
/// is missing. Left out is what only counts (requests, epochs, attempts), and what is overwritten
/// before it is read again. There are queues, a lock of one node or a semaphore.
class machine_state {
public:
    machine_state(const session_machine& which, test::state_words& to)
        : machine_(which),
          context_(std::get<const machine_context&>(which.snapshot())),
          queues_(std::get<const queue_registry&>(which.snapshot())),
          single_nodes_(std::get<const single_node_registry&>(which.snapshot())),
          semaphores_(std::get<const semaphore_registry&>(which.snapshot())),
          to_(to) {}

    void describe();
    /// What an open request was sent for; nothing where its answer would only feed the lease.
    std::optional<request_purpose> describe_request(request_id id, const request& what);

private:
    void describe(const machine_context& which);
    void describe(const lease& which);
    void describe(const timer& which);
    void describe(const connector& which);
    void describe(const heartbeat& which);
    void describe(const lease_watch& which);
    void describe(const watch_table& which);
    void describe(const rewatch_queue& which);
    void describe(const path_lookups& which);
    void describe(const queue_registry& which);
    void describe(const lock_queue& which);
    void describe(const lock_directory& which);
    void describe(const pending_deletes& which);
    void describe(const pending_delete& which);
    void describe(const undeletable& which);
    void describe(const recovery& which);
    void describe(const ticket& which);
    void describe(const predecessor& which);
    void describe(const ticket_name& which);
    void describe(const single_node_registry& which);
    void describe(const single_node& which);
    void describe(const semaphore_registry& which);
    void describe(const semaphore& which);
    void describe(const semaphore::acquire& which);
    void describe(const pending_leases& which);
    bool describe_origin(const request_origin& by, const request& what);
    bool describe_origin_of_node(const request_origin& by, const single_node& which);
    bool describe_origin_of_leases(const request_origin& by, const semaphore& which);
    bool describe_pending_delete(std::uint64_t key, const request& what);

    const session_machine& machine_;
    const machine_context& context_;
    const queue_registry& queues_;
    const single_node_registry& single_nodes_;
    const semaphore_registry& semaphores_;
    test::state_words& to_;
};

} // namespace turnstile::protocol
