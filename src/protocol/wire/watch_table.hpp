// Who waits for an event of which node, on the connection of the moment.
#pragma once

#include "protocol/names/ticket_id.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace turnstile::protocol {

/// A watch fires once and is gone; all watches are gone with their connection. A ticket is entered
/// when the reply to its `get` arrived, so an event counts only for those that were answered
/// before.
class watch_table {
public:
    void add(const std::string& path, ticket_id ticket) { watchers_[path].push_back(ticket); }

    void remove(const std::string& path, ticket_id ticket) {
        const auto entry = watchers_.find(path);
        if (entry == watchers_.end())
            return;
        std::erase(entry->second, ticket);
        if (entry->second.empty())
            watchers_.erase(entry);
    }

    /// Takes out those to be told of an event of `path`.
    std::vector<ticket_id> take(const std::string& path) {
        const auto entry = watchers_.find(path);
        if (entry == watchers_.end())
            return {};
        auto taken = std::move(entry->second);
        watchers_.erase(entry);
        return taken;
    }

    void clear() { watchers_.clear(); }
    std::size_t size() const { return watchers_.size(); }

    /// All that it remembers.
    const auto& snapshot() const { return watchers_; }

private:
    std::unordered_map<std::string, std::vector<ticket_id>> watchers_;
};

} // namespace turnstile::protocol
