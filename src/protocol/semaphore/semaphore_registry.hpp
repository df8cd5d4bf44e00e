// The semaphores that a session uses, by lock path.
#pragma once

#include "protocol/queue/machine_context.hpp"
#include "protocol/queue/queue_registry.hpp"
#include "protocol/queue/rest_review.hpp"
#include "protocol/semaphore/semaphore.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// One that has rested for a while is forgotten. Its nodes stay: they keep the limit.
class semaphore_registry {
public:
    semaphore_registry(machine_context& shared, queue_registry& queues)
        : context_(shared), family_{.queues = queues} {}

    void acquire(const std::string& path, std::unique_ptr<semaphore::acquire> newcomer,
                 std::optional<instant> limit);
    /// Nothing new comes: none is forgotten any more, and no timer is left.
    void stop();
    void cancel(ticket_id id, failure why);
    void share(ticket_id holder, ticket_id further);
    /// Whether this ends something that is held here, or was lost.
    bool release(ticket_id id);
    void lose(ticket_id id);
    /// Whether the watch is one of these.
    bool on_watch(watcher_id watcher, const std::string& node, watch_event event);
    void on_missing(const std::string& node);

    bool knows(ticket_id id) const { return family_.owners.contains(id); }
    /// Whether something of this session is there, or may be.
    bool is_used(const std::string& path) const;
    /// Whether a path lies below or above one of these.
    bool is_nested(const std::string& path) const;
    /// The leases of one that is held.
    std::vector<std::string> nodes_of(ticket_id id) const;
    /// How many handles hold a lease of this path, by its node; 0 where it is not of this session.
    std::size_t sharers_of(const std::string& path, const std::string& lease) const;
    std::optional<std::string> busy_path() const;
    std::size_t size() const { return semaphores_.size(); }
    /// Nobody acquires or holds.
    bool empty() const { return family_.owners.empty(); }

    template <class Action>
    void for_each(Action action) const {
        for (const auto& [path, each] : semaphores_)
            action(*each.which);
    }

private:
    struct entry {
        std::unique_ptr<semaphore> which;
        watcher_id watcher = 0;
        std::optional<rest_review> review{};
    };

    void forget(const std::string& path);

    machine_context& context_;
    semaphore::family family_;
    std::map<std::string, entry> semaphores_;
    std::map<watcher_id, semaphore*> watchers_;
    watcher_id watchers_made_ = 0;
};

} // namespace turnstile::protocol
