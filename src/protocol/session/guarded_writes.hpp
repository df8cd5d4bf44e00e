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

/// Each write is a transaction that begins with checks of the nodes by which the locks are held.
/// The next holder comes only after such a node is gone, so a write of a former holder fails. A
/// write that waits for a connection fails if a lock is lost or released meanwhile.
///
/// A write is sent once, and without an answer its outcome is unknown. Only a write that makes its
/// node is sent again: as a create if the node is missing, and as a set if it is there.
/// session_machine owns this object. The listener's on_written() gets the end of each write.
class guarded_writes {
public:
    guarded_writes(session_context& shared, lock_kinds& kinds) : context_(shared), kinds_(kinds) {}

    /// The end of the input sends the write.
    void begin(inquiry_id id, const guarded_write& what);
    /// Ends a write. It may still be carried out if it was sent. False: no write has this id.
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
        instant since; // it waits for an answer from this instant on
        bool sent = false;
    };

    /// The checks of the locks' nodes; empty: a lock is not held.
    std::vector<transaction_step> checks_for(const guarded_write& what) const;
    void send(inquiry_id id, write& which, const std::vector<transaction_step>& checks);
    /// An upper bound of the request's size.
    std::size_t bytes_on_wire(const request& what) const;
    void on_answer(inquiry_id id, const std::vector<transaction_step>& checks, const reply& answer);
    /// Makes a set a create, or a create a set, if `code` asks for that and the write makes its
    /// node. True: the write has to be sent again.
    bool turns_to_other_form(write& which, zookeeper_code code) const;
    /// Forgets the write, and reports its end.
    void end(inquiry_id id, failure why, const reply& answer);

    session_context& context_;
    lock_kinds& kinds_;
    std::map<inquiry_id, write> open_;
};

} // namespace turnstile::protocol
