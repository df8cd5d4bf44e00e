// All of a session machine that what it will do depends on.
#pragma once

#include "state_words.hpp"

#include "protocol/session/session_machine.hpp"

namespace turnstile::protocol {

/// A friend of the machine's parts: they know nothing of how they are told apart. Whoever adds a
/// member to one of them adds it here; merge_check finds what is missing. Left out is what only
/// counts (requests, epochs, attempts), and what is overwritten before it is read again. There is
/// one lock path.
class machine_state {
public:
    machine_state(const session_machine& which, test::state_words& to)
        : context_(which.context_), machine_(which), to_(to) {}

    void describe();
    /// What an open request was sent for; false where its answer would only feed the lease.
    bool describe_request(request_id id);

private:
    void describe(const lease& which);
    void describe(const timer& which);
    void describe(const connector& which);
    void describe(const heartbeat& which);
    void describe(const watch_table& which);
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
    void describe_session();
    bool describe_origin(const request_origin& by);
    bool describe_pending_delete(std::uint64_t key);

    const machine_context& context_;
    const session_machine& machine_;
    test::state_words& to_;
};

} // namespace turnstile::protocol
