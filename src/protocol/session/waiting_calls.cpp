// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/waiting_calls.hpp"

#include <algorithm>

namespace turnstile::protocol {

void waiting_calls::for_each(const lock_kind::waiting_action& action) const {
    for (const auto kind : kinds_)
        kind->for_each_waiting(action);
    inquiries_.for_each_waiting(action);
    lookups_.for_each_waiting(action);
}

void waiting_calls::cancel(std::vector<watcher_id> which, failure why) {
    std::sort(which.begin(), which.end());
    for (const auto id : which)
        if (lookups_.knows(id))
            lookups_.cancel(id, why);
        else if (std::ranges::none_of(kinds_, [&](auto kind) { return kind->cancel(id, why); }))
            inquiries_.cancel(id, why);
}

} // namespace turnstile::protocol
