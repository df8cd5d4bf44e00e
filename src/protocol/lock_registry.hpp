// SPDX-License-Identifier: BSL-1.0
// Locks without tickets, by lock path: what their kinds have in common.
#pragma once

#include "protocol/lock_kind.hpp"
#include "protocol/names/lock_path.hpp"
#include "protocol/session_context.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace turnstile::protocol {

/// A lock that two reviews in a row found at rest, with no use in between, is forgotten. Its nodes
/// stay. A `Lock` keeps the table of its owners itself: all that acquire or hold it.
template <class Lock>
class lock_registry : public lock_kind {
public:
    using owner_table = std::unordered_map<ticket_id, Lock*>;

    bool contains(const std::string& path) const override { return locks_.contains(path); }
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
    void for_each_waiting(const waiting_action& action) const override {
        for (const auto& [path, each] : locks_)
            each.lock->for_each_waiting(action);
    }
    bool empty() const override { return owners_.empty(); }

    void on_connected() override { for_each(&Lock::on_connected); }
    void on_disconnected() override { for_each(&Lock::on_disconnected); }
    bool on_missing(const std::string& node) override {
        const auto above = find_above(node);
        return above && above->on_missing(node);
    }
    void read_again() override { for_each(&Lock::read_again); }
    void retry_denied() override { for_each(&Lock::retry_denied); }
    std::optional<std::string> busy_node() const override {
        const auto busy = std::ranges::find_if(
            locks_, [](const auto& each) { return !each.second.lock->resting(); });
        return busy == locks_.end() ? std::nullopt
                                    : std::optional(busy->second.lock->node_to_check());
    }
    void stop_waiting_for_releases() override { for_each(&Lock::stop_waiting_for_releases); }
    void abandon_all() override {
        for (auto& [path, each] : locks_) {
            each.review.cancel();
            each.lock->abandon_all();
        }
    }
    void on_expired(failure releases) override { for_each(&Lock::on_expired, releases); }

protected:
    explicit lock_registry(session_context& shared) : context_(shared) {}

    /// Made at the first call, with what its constructor takes behind the path.
    template <class... More>
    Lock& at(const std::string& path, More&... more) {
        auto& known = locks_.try_emplace(path, context_.clock).first->second;
        if (!known.lock) {
            known.lock = std::make_unique<Lock>(context_, path, more...);
            review_later(known, path);
        }
        return *known.lock;
    }
    Lock* find(const std::string& path) const {
        const auto found = locks_.find(path);
        return found == locks_.end() ? nullptr : found->second.lock.get();
    }
    /// The one that a node below its lock path belongs to.
    Lock* find_above(const std::string& node) const {
        Lock* found = nullptr;
        for (auto end = node.rfind('/'); !found && end != 0 && end != node.npos;
             end = node.rfind('/', end - 1))
            found = find(node.substr(0, end));
        return found;
    }
    Lock* owner_of(ticket_id id) const {
        const auto found = owners_.find(id);
        return found == owners_.end() ? nullptr : found->second;
    }

    session_context& context_;
    owner_table owners_;

private:
    struct entry {
        explicit entry(timers& clock) : review(clock) {}

        std::unique_ptr<Lock> lock;
        std::optional<std::uint64_t> uses; // at the last review, if it was at rest
        timer review;
    };

    template <class Member, class... Arguments>
    void for_each(Member member, Arguments... arguments) {
        for (auto& [path, each] : locks_)
            ((*each.lock).*member)(arguments...);
    }
    template <class Action>
    bool with_owner(ticket_id id, Action action) const {
        const auto owner = owner_of(id);
        if (owner)
            action(*owner);
        return owner != nullptr;
    }
    void review_later(entry& which, const std::string& path) {
        which.review.set(context_.now() + context_.options.queue_rest, [this, &which, path] {
            const auto before = which.uses;
            which.uses = which.lock->resting();
            if (which.uses && which.uses == before)
                locks_.erase(path);
            else
                review_later(which, path);
        });
    }

    std::map<std::string, entry> locks_;
};

} // namespace turnstile::protocol
