// SPDX-License-Identifier: BSL-1.0
// Sends writes that the server refuses once a lock is not held any more.
#pragma once

#include "protocol/session/lock_kinds.hpp"
#include "protocol/session_context.hpp"

#include <map>
#include <vector>

namespace turnstile::protocol {

/// The steps of a write, and the locks that must be held.
struct guarded_write {
    std::vector<ticket_id> locks{};
    std::vector<transaction_step> steps{};
    bool makes = false; // its one step is a set, or a create if the node is missing
};

/// Each write begins with a check of the locks' own nodes. A lock passes on only after its holder's
/// node is gone, so a write of a former holder fails. A write that waits for a connection is
/// refused if its lock is lost or released meanwhile. Each is sent once, and without an answer its
/// outcome is unknown. Only a write that makes its node is sent again: if the node is missing, or
/// has come in the meantime. session_machine owns this object.
class guarded_writes {
public:
    guarded_writes(session_context& shared, lock_kinds& kinds) : context_(shared), kinds_(kinds) {}

    void begin(inquiry_id id, const guarded_write& what);
    /// False: no write has this id. A write that was sent may still be carried out.
    bool cancel(inquiry_id id, failure why);
    bool was_sent(inquiry_id id) const {
        const auto found = open_.find(id);
        return found != open_.end() && found->second.sent;
    }
    /// After each input: sends the writes that wait. One whose lock was lost or released fails.
    void end_input();
    void fail_all(failure why);

    bool empty() const { return open_.empty(); }
    template <class Action>
    void for_each_waiting(Action action) const {
        for (const auto& [id, each] : open_)
            action(id, each.since);
    }

private:
    struct write {
        guarded_write what;
        instant since;
        bool sent = false;
    };

    /// The checks of the locks' nodes; empty: a lock is not held.
    std::vector<transaction_step> checks_for(const guarded_write& what) const;
    void send(inquiry_id id, write& which, const std::vector<transaction_step>& checks);
    std::size_t bytes_on_wire(const request& what) const;
    bool turns_to_other_form(write& which, zookeeper_code code) const;
    void end(inquiry_id id, failure why, const reply& answer);
    void on_answer(inquiry_id id, const std::vector<transaction_step>& checks, const reply& answer);

    session_context& context_;
    lock_kinds& kinds_;
    std::map<inquiry_id, write> open_;
};

} // namespace turnstile::protocol
