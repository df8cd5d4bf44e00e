// The locks of one node that a session uses, by lock path.
#pragma once

#include "protocol/queue/machine_context.hpp"
#include "protocol/queue/rest_review.hpp"
#include "protocol/single_node/single_node.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// One that has rested for a while is forgotten. Its lock path stays to the server, which removes
/// an empty container: a session that made the path anew would begin its versions anew, too.
class single_node_registry {
public:
    explicit single_node_registry(machine_context& shared) : context_(shared) {}

    void acquire(const std::string& path, std::unique_ptr<single_node::acquire> newcomer,
                 std::optional<instant> limit);
    /// Nothing new comes: none is forgotten any more, and no timer is left.
    void stop();
    void cancel(ticket_id id, failure why);
    /// A further handle on what is held.
    void share(ticket_id holder, ticket_id further);
    /// Whether this ends something that is held here, or was lost.
    bool release(ticket_id id);
    void lose(ticket_id id);
    void on_watch(ticket_id watcher, watch_event event);
    void on_missing(const std::string& node);

    bool knows(ticket_id id) const { return owners_.contains(id); }
    bool contains(const std::string& path) const { return nodes_.contains(path); }
    bool is_held(const std::string& path) const;
    /// Whether a path lies below or above one of these.
    bool is_nested(const std::string& path) const;
    /// The node of one that is held.
    const std::string& node_of(ticket_id id) const { return owners_.at(id)->node(); }
    /// A path where something of this session is, or may be.
    std::optional<std::string> busy_path() const;
    std::size_t size() const { return nodes_.size(); }
    /// Nobody acquires or holds.
    bool empty() const { return owners_.empty(); }

    template <class Action>
    void for_each(Action action) const {
        for (const auto& [path, each] : nodes_)
            action(*each.node);
    }

private:
    struct entry {
        std::unique_ptr<single_node> node;
        std::optional<rest_review> review{};
    };

    machine_context& context_;
    single_node::owner_table owners_;
    std::map<std::string, entry> nodes_;
};

} // namespace turnstile::protocol
