#include "protocol/semaphore/semaphore_registry.hpp"

#include "protocol/names/lock_path.hpp"

#include <utility>

namespace turnstile::protocol {

namespace {

// Above all ids of tickets and inquiries.
constexpr watcher_id first_watcher = watcher_id{1} << 63;

} // namespace

void semaphore_registry::acquire(const std::string& path,
                                 std::unique_ptr<semaphore::acquire> newcomer,
                                 std::optional<instant> limit) {
    auto& which = semaphores_[path];
    if (!which.which) {
        which.watcher = first_watcher + ++watchers_made_;
        which.which = std::make_unique<semaphore>(context_, family_, path, which.watcher);
        which.review.emplace(
            context_, [semaphore = which.which.get()] { return semaphore->resting(); },
            [this, path] { forget(path); });
        watchers_.emplace(which.watcher, which.which.get());
    }
    if (limit)
        newcomer->deadline.set(*limit,
                               [this, id = newcomer->id] { cancel(id, context_.end_of_time()); });
    which.which->enter(std::move(newcomer));
}

void semaphore_registry::forget(const std::string& path) {
    const auto rested = semaphores_.find(path);
    watchers_.erase(rested->second.watcher);
    semaphores_.erase(rested);
}

void semaphore_registry::stop() {
    for (auto& [path, each] : semaphores_)
        each.review.reset();
}

void semaphore_registry::cancel(ticket_id id, failure why) {
    if (const auto found = family_.owners.find(id); found != family_.owners.end())
        found->second->cancel(id, why);
}

void semaphore_registry::share(ticket_id holder, ticket_id further) {
    if (const auto found = family_.owners.find(holder); found != family_.owners.end())
        found->second->share(holder, further);
}

bool semaphore_registry::release(ticket_id id) {
    const auto found = family_.owners.find(id);
    return found != family_.owners.end() && found->second->release(id);
}

void semaphore_registry::lose(ticket_id id) {
    if (const auto found = family_.owners.find(id); found != family_.owners.end())
        found->second->lose(id);
}

bool semaphore_registry::on_watch(watcher_id watcher, const std::string& node, watch_event event) {
    if (watcher < first_watcher)
        return false;
    if (const auto found = watchers_.find(watcher); found != watchers_.end())
        found->second->on_watch(node, event);
    return true;
}

void semaphore_registry::on_missing(const std::string& node) {
    for (const auto& [path, each] : semaphores_)
        if (node.starts_with(path + '/'))
            return each.which->on_missing(node);
}

bool semaphore_registry::is_used(const std::string& path) const {
    const auto found = semaphores_.find(path);
    return found != semaphores_.end() && !found->second.which->idle();
}

bool semaphore_registry::is_nested(const std::string& path) const {
    return protocol::is_nested(path, semaphores_);
}

std::vector<std::string> semaphore_registry::nodes_of(ticket_id id) const {
    const auto found = family_.owners.find(id);
    return found == family_.owners.end() ? std::vector<std::string>{}
                                         : found->second->leases_of(id);
}

std::size_t semaphore_registry::sharers_of(const std::string& path,
                                           const std::string& lease) const {
    const auto found = semaphores_.find(path);
    return found == semaphores_.end() ? 0 : found->second.which->sharers_of(lease);
}

std::optional<std::string> semaphore_registry::busy_path() const {
    for (const auto& [path, each] : semaphores_)
        if (!each.which->idle())
            return each.which->limit_path();
    return std::nullopt;
}

} // namespace turnstile::protocol
