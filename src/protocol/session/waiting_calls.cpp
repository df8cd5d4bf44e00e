#include "protocol/session/waiting_calls.hpp"

#include "protocol/queue/lock_queue.hpp"

#include <algorithm>

namespace turnstile::protocol {

void waiting_calls::cancel(std::vector<watcher_id> which, failure why) {
    std::sort(which.begin(), which.end());
    for (const auto id : which)
        if (const auto who = context_.ticket_of(id))
            who->where.cancel(*who, id, why);
        else if (single_nodes_.knows(id))
            single_nodes_.cancel(id, why);
        else if (lookups_.knows(id))
            lookups_.cancel(id, why);
        else if (semaphores_.knows(id))
            semaphores_.cancel(id, why);
        else
            inquiries_.cancel(id, why);
}

} // namespace turnstile::protocol
