// SPDX-License-Identifier: BSL-1.0
// All that waits in a session: acquires of every kind of lock, inquiries, look-ups.
#pragma once

#include "protocol/session/inquiries.hpp"
#include "protocol/session/lock_kinds.hpp"
#include "protocol/session/path_lookups.hpp"

#include <vector>

namespace turnstile::protocol {

/// While no server can be reached, each waits its own limit: from its start or from the loss of the
/// connection, whichever came later. A server that shakes hands and carries nothing out counts as
/// unreachable.
class waiting_calls {
public:
    waiting_calls(session_context& shared, lock_kinds& kinds, inquiries& asked,
                  path_lookups& lookups)
        : context_(shared),
          kinds_(kinds),
          inquiries_(asked),
          lookups_(lookups),
          due_(shared.clock) {}

    /// Nothing waits, is held or is on its way out: no session is needed.
    bool none() const { return kinds_.empty() && inquiries_.empty() && lookups_.empty(); }

    /// Ends one.
    void cancel(watcher_id which, failure why);
    /// Ends all, in the order of their arrival, which is the same in each replay of a run.
    void fail_all(failure why);

    /// While disconnected, after anything that may have to wait.
    void limit();
    void end_limit() { due_.cancel(); }

private:
    template <class Action>
    void for_each(Action action) const;
    void fail_overdue();

    session_context& context_;
    lock_kinds& kinds_;
    inquiries& inquiries_;
    path_lookups& lookups_;
    timer due_;
};

} // namespace turnstile::protocol
