// All of a session machine that what it will do depends on.
#pragma once

#include "state_words.hpp"

#include "protocol/session/session_machine.hpp"

#include <tuple>

namespace turnstile::protocol {

/// Each part of the machine gives what it remembers, and knows nothing of how it is told apart.
/// Whoever adds a member to one of them adds it to its snapshot, and here; merge_check finds what
/// is missing. Left out is what only counts (requests, epochs, attempts), and what is overwritten
/// before it is read again. There is one lock path.
class machine_state {
public:
    machine_state(const session_machine& which, test::state_words& to)
        : machine_(which),
          context_(std::get<const machine_context&>(which.snapshot())),
          queues_(std::get<const queue_registry&>(which.snapshot())),
          to_(to) {}

    void describe();
    /// What an open request was sent for; false where its answer would only feed the lease.
    bool describe_request(request_id id);

private:
    void describe(const machine_context& which);
    void describe(const lease& which);
    void describe(const timer& which);
    void describe(const connector& which);
    void describe(const heartbeat& which);
    void describe(const lease_watch& which);
    void describe(const watch_table& which);
    void describe(const rewatch_queue& which);
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
    bool describe_origin(const request_origin& by);
    bool describe_pending_delete(std::uint64_t key);

    const session_machine& machine_;
    const machine_context& context_;
    const queue_registry& queues_;
    test::state_words& to_;
};

} // namespace turnstile::protocol
