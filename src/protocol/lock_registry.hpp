// SPDX-License-Identifier: BSL-1.0
// The registry of a kind of lock that is not held by a ticket of a lock_queue.
#pragma once

#include "protocol/locks_by_path.hpp"
#include "protocol/names/lock_path.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace turnstile::protocol {

/// The base of semaphore_registry and single_node_registry. It finds the lock of each acquire,
/// handle and node. A `Lock` enters its acquires and handles in the table of owners itself, and
/// removes them. The nodes of a lock that is forgotten stay.
template <class Lock>
class lock_registry : public locks_by_path<Lock> {
public:
    using owner_table = std::unordered_map<ticket_id, Lock*>;

    bool is_nested(const std::string& path) const override {
        return protocol::is_nested(path, locks_, [](const auto&) { return true; });
    }
    bool cancel(watcher_id id, failure why) override {
        return with_owner(id, [&](Lock& owner) { owner.cancel(id, why); });
    }
    bool knows(ticket_id id) const override { return owners_.contains(id); }
    bool share(ticket_id holder, ticket_id further) override {
        return with_owner(holder, [&](Lock& owner) { owner.share(holder, further); });
    }
    bool release(ticket_id id) override {
        const auto owner = owner_of(id);
        return owner && owner->release(id);
    }
    bool lose(ticket_id id) override {
        return with_owner(id, [&](Lock& owner) { owner.lose(id, error::lease_lost); });
    }
    std::vector<std::string> nodes_of(ticket_id id) const override {
        const auto owner = owner_of(id);
        return owner ? owner->nodes_of(id) : std::vector<std::string>{};
    }
    std::vector<transaction_step> proof_of(ticket_id caller) const override {
        const auto owner = owner_of(caller);
        return owner ? owner->proof_of(caller) : std::vector<transaction_step>{};
    }
    void for_each_waiting(const lock_kind::waiting_action& action) const override {
        for (const auto& [path, each] : locks_)
            each.lock->for_each_waiting(action);
    }
    bool empty() const override { return owners_.empty(); }

    bool on_watch(watcher_id watcher, watch_event event, const std::string& node) override {
        const auto lock = watcher == lock_watcher ? find_above(node) : nullptr;
        return lock && lock->on_watch(node, event);
    }
    bool on_missing(const std::string& node) override {
        const auto lock = find_above(node);
        return lock && lock->on_missing(node);
    }
    void read_again() override { for_each(&Lock::read_again); }

protected:
    using locks_by_path<Lock>::find;
    using locks_by_path<Lock>::for_each;
    using locks_by_path<Lock>::locks_;

    explicit lock_registry(session_context& shared) : locks_by_path<Lock>(shared) {}

    /// The lock whose path is the nearest above this node; null if there is none.
    Lock* find_above(const std::string& node) const {
        Lock* lock = nullptr;
        for (auto end = node.rfind('/'); !lock && end != 0 && end != node.npos;
             end = node.rfind('/', end - 1))
            lock = find(node.substr(0, end));
        return lock;
    }
    /// The lock of this acquire or handle; null if it is of another kind.
    Lock* owner_of(ticket_id id) const {
        const auto found = owners_.find(id);
        return found == owners_.end() ? nullptr : found->second;
    }

    owner_table owners_;

private:
    /// Calls `action` with the lock of this acquire or handle. False: there is none.
    template <class Action>
    bool with_owner(ticket_id id, Action action) const {
        const auto owner = owner_of(id);
        if (owner)
            action(*owner);
        return owner != nullptr;
    }
};

} // namespace turnstile::protocol
