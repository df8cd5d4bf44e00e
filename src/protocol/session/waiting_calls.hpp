// SPDX-License-Identifier: BSL-1.0
// All that waits in a session: acquires of every kind of lock, inquiries, look-ups.
#pragma once

#include "protocol/session/inquiries.hpp"
#include "protocol/session/lock_kinds.hpp"
#include "protocol/session/path_lookups.hpp"

#include <vector>

namespace turnstile::protocol {

class waiting_calls {
public:
    waiting_calls(lock_kinds& kinds, inquiries& asked, path_lookups& lookups)
        : kinds_(kinds), inquiries_(asked), lookups_(lookups) {}

    /// Nothing waits, is held or is on its way out: no session is needed.
    bool none() const { return kinds_.empty() && inquiries_.empty() && lookups_.empty(); }

    /// With the instant since when.
    void for_each(const lock_kind::waiting_action& action) const;

    /// Ends some in the order of their arrival, which is the same in each replay of a run.
    void cancel(std::vector<watcher_id> which, failure why);

private:
    lock_kinds& kinds_;
    inquiries& inquiries_;
    path_lookups& lookups_;
};

} // namespace turnstile::protocol
