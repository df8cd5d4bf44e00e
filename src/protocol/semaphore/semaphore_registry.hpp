// SPDX-License-Identifier: BSL-1.0
// The semaphores that a session uses, by lock path.
#pragma once

#include "protocol/lock_kind.hpp"
#include "protocol/queue/queue_registry.hpp"
#include "protocol/rest_review.hpp"
#include "protocol/semaphore/semaphore.hpp"
#include "protocol/session_context.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// One that has rested for a while is forgotten. Its nodes stay: they keep the limit.
class semaphore_registry final : public lock_kind {
public:
    semaphore_registry(session_context& shared, queue_registry& queues)
        : context_(shared), family_{.queues = queues} {}

    bool occupies(const acquire_request& what) const override;
    bool contains(const std::string& path) const override { return semaphores_.contains(path); }
    bool is_nested(const std::string& path) const override;
    void acquire(ticket_id id, const acquire_request& what, std::optional<instant> end) override;
    /// The key is that of its nodes. It is made where it is missing and a limit is stated.
    bool look_up(watcher_id id, const acquire_request& what, std::optional<instant> end) override;
    bool cancel(watcher_id id, failure why) override;
    bool knows(ticket_id id) const override { return family_.owners.contains(id); }
    bool share(ticket_id holder, ticket_id further) override;
    bool release(ticket_id id) override;
    bool lose(ticket_id id) override;
    std::vector<std::string> nodes_of(ticket_id id) const override;
    std::size_t sharers_of(const std::string& path, const std::string& node) const override;
    void for_each_waiting(const waiting_action& action) const override;
    bool empty() const override { return family_.owners.empty(); }
    std::size_t size() const override { return semaphores_.size(); }

    void on_connected() override;
    void on_disconnected() override;
    bool on_watch(watcher_id watcher, watch_event event, const std::string& node) override;
    bool on_missing(const std::string& node) override;
    void read_again() override;
    std::optional<std::string> busy_node() const override;
    void stop_waiting_for_releases() override;
    void abandon_all() override;
    void stop() override;
    void on_expired(failure releases) override;

    template <class Action>
    void for_each(Action action) const {
        for (const auto& [path, each] : semaphores_)
            action(*each.which);
    }

private:
    struct entry {
        std::unique_ptr<semaphore> which;
        std::optional<rest_review> review{};
    };

    void enter(ticket_id id, const acquire_request& what, std::optional<instant> end,
               bool only_looked);
    semaphore* owner_of(ticket_id id) const;
    /// To which a node below its lock path belongs.
    semaphore* at(const std::string& node) const;

    session_context& context_;
    semaphore::family family_;
    std::map<std::string, entry> semaphores_;
};

} // namespace turnstile::protocol
