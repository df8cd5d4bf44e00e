// SPDX-License-Identifier: BSL-1.0
#include "protocol/single_node/single_node_registry.hpp"

#include "protocol/names/lock_path.hpp"

#include <utility>

namespace turnstile::protocol {

bool single_node_registry::is_nested(const std::string& path) const {
    return protocol::is_nested(path, nodes_);
}

void single_node_registry::acquire(ticket_id id, const acquire_request& what,
                                   std::optional<instant> end) {
    auto& known = nodes_[what.path];
    if (known.node && what.patient && known.node->is_held() && context_.refuses_own_wait(what.path))
        return context_.events.on_acquire_failed(id, failure::would_deadlock, zookeeper_code::ok);
    if (!known.node) {
        known.node = std::make_unique<single_node>(context_, owners_, what.path);
        known.review.emplace(
            context_, [node = known.node.get()] { return node->resting(); },
            [this, path = what.path] { nodes_.erase(path); });
    }
    auto newcomer = std::make_unique<single_node::acquire>(id, context_.clock);
    newcomer->patient = what.patient;
    newcomer->wanted = what.incarnation;
    newcomer->request = {context_.random(), id};
    newcomer->started = context_.now();
    if (end)
        newcomer->deadline.set(*end, [this, id] { cancel(id, context_.end_of_time()); });
    known.node->path_believed(what.incarnation);
    known.node->enter(std::move(newcomer));
}

single_node* single_node_registry::owner_of(ticket_id id) const {
    const auto found = owners_.find(id);
    return found == owners_.end() ? nullptr : found->second;
}

bool single_node_registry::cancel(watcher_id id, failure why) {
    const auto owner = owner_of(id);
    if (owner)
        owner->cancel(id, why);
    return owner != nullptr;
}

bool single_node_registry::share(ticket_id holder, ticket_id further) {
    const auto owner = owner_of(holder);
    if (owner)
        owner->share(holder, further);
    return owner != nullptr;
}

bool single_node_registry::release(ticket_id id) {
    const auto owner = owner_of(id);
    return owner && owner->release(id);
}

bool single_node_registry::lose(ticket_id id) {
    const auto owner = owner_of(id);
    if (owner && owner->holds(id))
        owner->lose();
    return owner != nullptr;
}

std::vector<std::string> single_node_registry::nodes_of(ticket_id id) const {
    if (const auto owner = owner_of(id))
        return {owner->node()};
    return {};
}

void single_node_registry::for_each_waiting(const waiting_action& action) const {
    for_each([&](const single_node& where) { where.for_each_waiting(action); });
}

void single_node_registry::on_connected() {
    for_each([](single_node& where) { where.on_connected(); });
}

void single_node_registry::on_disconnected() {
    for_each([](single_node& where) { where.on_disconnected(); });
}

bool single_node_registry::on_watch(watcher_id watcher, watch_event event, const std::string&) {
    const auto owner = owner_of(watcher);
    if (owner)
        owner->on_watch(watcher, event);
    return owner != nullptr;
}

bool single_node_registry::on_missing(const std::string& node) {
    for (const auto& [path, each] : nodes_)
        if (each.node->node() == node) {
            each.node->on_missing();
            return true;
        }
    return false;
}

void single_node_registry::read_again() {
    for_each([](single_node& where) { where.read_again(); });
}

std::optional<std::string> single_node_registry::busy_node() const {
    for (const auto& [path, each] : nodes_)
        if (!each.node->idle())
            return path;
    return std::nullopt;
}

void single_node_registry::stop_waiting_for_releases() {
    for_each([](single_node& where) { where.stop_waiting_for_release(); });
}

void single_node_registry::abandon_all() {
    for_each([](single_node& where) { where.abandon_all(); });
}

void single_node_registry::stop() {
    for (auto& [path, each] : nodes_)
        each.review.reset();
}

void single_node_registry::on_expired(failure releases) {
    for_each([&](single_node& where) { where.on_expired(releases); });
}

} // namespace turnstile::protocol
