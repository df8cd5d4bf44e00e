// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/semaphore_registry.hpp"

namespace turnstile::protocol {

// A semaphore at rest has no acquire, permit or request: another kind of lock may try the path.
bool semaphore_registry::occupies(const acquire_request& what) const {
    const auto found = find(what.path);
    return found && !found->resting();
}

void semaphore_registry::acquire(ticket_id id, const acquire_request& what,
                                 std::optional<instant> end) {
    if (what.stated_limit && *what.stated_limit == 0)
        return context_.lock_events.on_acquire_failed(id, failure::too_many, zookeeper_code::ok);
    at(what.path, family_).enter(id, what, end, false);
}

bool semaphore_registry::look_up(watcher_id id, const acquire_request& what,
                                 std::optional<instant> end) {
    if (what.stated_limit && *what.stated_limit == 0)
        context_.lock_events.on_looked_up(id, failure::too_many, zookeeper_code::ok, {});
    else
        at(what.path, family_).enter(id, what, end, true);
    return true;
}

// Only permits are asked for here: queue_registry knows a ticket in the semaphore's queue.
std::size_t semaphore_registry::sharers_of(const std::string& path, const std::string& node) const {
    const auto found = find(path);
    return found ? found->sharers_of(path + '/' + node) : 0;
}

} // namespace turnstile::protocol
