// SPDX-License-Identifier: BSL-1.0
// The locks of one node that a session uses, by lock path.
#pragma once

#include "protocol/lock_kind.hpp"
#include "protocol/rest_review.hpp"
#include "protocol/session_context.hpp"
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
class single_node_registry final : public lock_kind {
public:
    explicit single_node_registry(session_context& shared) : context_(shared) {}

    bool occupies(const acquire_request& what) const override { return contains(what.path); }
    bool contains(const std::string& path) const override { return nodes_.contains(path); }
    bool is_nested(const std::string& path) const override;
    void acquire(ticket_id id, const acquire_request& what, std::optional<instant> end) override;
    bool cancel(watcher_id id, failure why) override;
    bool knows(ticket_id id) const override { return owners_.contains(id); }
    bool share(ticket_id holder, ticket_id further) override;
    bool release(ticket_id id) override;
    bool lose(ticket_id id) override;
    std::vector<std::string> nodes_of(ticket_id id) const override;
    std::size_t sharers_of(const std::string&, const std::string&) const override { return 0; }
    void for_each_waiting(const waiting_action& action) const override;
    bool empty() const override { return owners_.empty(); }
    std::size_t size() const override { return nodes_.size(); }

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
        for (const auto& [path, each] : nodes_)
            action(*each.node);
    }

private:
    struct entry {
        std::unique_ptr<single_node> node;
        std::optional<rest_review> review{};
    };

    single_node* owner_of(ticket_id id) const;

    session_context& context_;
    single_node::owner_table owners_;
    std::map<std::string, entry> nodes_;
};

} // namespace turnstile::protocol
