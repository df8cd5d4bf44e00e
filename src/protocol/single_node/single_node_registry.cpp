// SPDX-License-Identifier: BSL-1.0
#include "protocol/single_node/single_node_registry.hpp"

#include <memory>
#include <utility>

namespace turnstile::protocol {

void single_node_registry::acquire(ticket_id id, const acquire_request& what,
                                   std::optional<instant> end) {
    const auto known = find(what.path);
    if (known && what.patient && known->is_held() && context_.options.refuses_own_waits)
        return context_.lock_events.on_acquire_failed(id, failure::would_deadlock,
                                                      zookeeper_code::ok);
    auto newcomer = std::make_unique<single_node::acquire>(id, context_.clock);
    newcomer->patient = what.patient;
    newcomer->wanted = what.incarnation;
    newcomer->mark = {context_.random(), id};
    newcomer->started = context_.now();
    newcomer->longest_hold = what.max_hold;
    if (end)
        newcomer->deadline.set(*end, [this, id] { cancel(id, context_.end_of_time()); });
    auto& where = at(what.path, owners_);
    where.suggest_incarnation(what.incarnation);
    where.enter(std::move(newcomer));
}

bool single_node_registry::on_watch(watcher_id watcher, watch_event event, const std::string&) {
    const auto owner = owner_of(watcher);
    if (owner)
        owner->on_watch(watcher, event);
    return owner != nullptr;
}

} // namespace turnstile::protocol
