#include "protocol/single_node/single_node_registry.hpp"

#include "protocol/names/lock_path.hpp"

#include <utility>

namespace turnstile::protocol {

void single_node_registry::acquire(const std::string& path,
                                   std::unique_ptr<single_node::acquire> newcomer,
                                   std::optional<instant> limit) {
    auto& which = nodes_[path];
    if (!which.node) {
        which.node = std::make_unique<single_node>(context_, owners_, path);
        which.review.emplace(
            context_, [node = which.node.get()] { return node->resting(); },
            [this, path] { nodes_.erase(path); });
    }
    which.node->path_believed(newcomer->wanted);
    if (limit)
        newcomer->deadline.set(*limit,
                               [this, id = newcomer->id] { cancel(id, context_.end_of_time()); });
    which.node->enter(std::move(newcomer));
}

void single_node_registry::stop() {
    for (auto& [path, each] : nodes_)
        each.review.reset();
}

void single_node_registry::cancel(ticket_id id, failure why) {
    if (const auto found = owners_.find(id); found != owners_.end())
        found->second->cancel(id, why);
}

void single_node_registry::share(ticket_id holder, ticket_id further) {
    if (const auto found = owners_.find(holder); found != owners_.end())
        found->second->share(holder, further);
}

bool single_node_registry::is_held(const std::string& path) const {
    const auto found = nodes_.find(path);
    return found != nodes_.end() && found->second.node->is_held();
}

bool single_node_registry::release(ticket_id id) {
    const auto found = owners_.find(id);
    return found != owners_.end() && found->second->release(id);
}

void single_node_registry::lose(ticket_id id) {
    if (const auto found = owners_.find(id); found != owners_.end() && found->second->holds(id))
        found->second->lose();
}

void single_node_registry::on_watch(ticket_id watcher, watch_event event) {
    if (const auto found = owners_.find(watcher); found != owners_.end())
        found->second->on_watch(watcher, event);
}

void single_node_registry::on_missing(const std::string& node) {
    for (const auto& [path, each] : nodes_)
        if (each.node->node() == node)
            return each.node->on_missing();
}

bool single_node_registry::is_nested(const std::string& path) const {
    return protocol::is_nested(path, nodes_);
}

std::optional<std::string> single_node_registry::busy_path() const {
    for (const auto& [path, each] : nodes_)
        if (!each.node->idle())
            return path;
    return std::nullopt;
}

} // namespace turnstile::protocol
