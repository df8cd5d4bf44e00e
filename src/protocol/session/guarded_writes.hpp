// SPDX-License-Identifier: BSL-1.0
// Transactions that the server refuses where a lock is not held any more.
#pragma once

#include "protocol/session/lock_kinds.hpp"
#include "protocol/session_context.hpp"

#include <map>
#include <vector>

namespace turnstile::protocol {

/// What is to be written, and by which locks: all of them must be held.
struct guarded_write {
    std::vector<ticket_id> locks{};
    std::vector<transaction_step> steps{};
    bool makes = false; // its one step is a set, and a create where the node is missing
};

/// Each begins with a check of the locks' own nodes. Whoever gets a lock next does so after its
/// node is gone, so what a former holder sent comes too late. Each is sent once. One that has to
/// wait for a connection is refused where its lock is lost or released meanwhile. What becomes of
/// one that was sent is unknown without an answer. One that makes its node is sent again where the
/// node is missing, or has come in the meantime.
class guarded_writes {
public:
    guarded_writes(session_context& shared, lock_kinds& kinds) : context_(shared), kinds_(kinds) {}

    void begin(inquiry_id id, const guarded_write& what);
    /// False where it is none of these. One that was sent may still be carried out.
    bool cancel(inquiry_id id, failure why);
    /// After each input: sends what can be sent. What was lost or released writes nothing.
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

    /// None where a lock is not held.
    std::vector<transaction_step> checks_for(const guarded_write& what) const;
    void send(inquiry_id id, write& which, const std::vector<transaction_step>& checks);
    std::size_t bytes_on_wire(const request& what) const;
    void end(inquiry_id id, failure why, const reply& answer);
    void on_answer(inquiry_id id, const std::vector<transaction_step>& checks, const reply& answer);

    session_context& context_;
    lock_kinds& kinds_;
    std::map<inquiry_id, write> open_;
};

} // namespace turnstile::protocol
