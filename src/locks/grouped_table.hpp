// Operations that wait, by id and by the group that they belong to: the acquires of a mutex object,
// the waits for what becomes of a lock.
#pragma once

#include "locks/operation_table.hpp"
#include "protocol/memory/kept_memory.hpp"

#include <turnstile/error.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace turnstile::detail {

/// They complete with an error code, and a result of each of these types.
template <class Operation, class... Results>
class grouped_table {
public:
    using operation = Operation;
    using group_id = std::uint64_t;

    void add(operation_id id, group_id group, operation&& waiting) {
        // Ids grow, and so do the groups of several that are added together, more often than not.
        waiting_.try_emplace(waiting_.end(), id, group, std::move(waiting));
        members_.emplace_hint(members_.end(), group, id);
    }

    /// Null where it does not wait any more.
    operation* find(operation_id id) {
        const auto found = waiting_.find(id);
        return found == waiting_.end() ? nullptr : &found->second.waiting;
    }

    /// Completes one, if it still waits.
    bool complete(operation_id id, const home_executor& home, error_code result,
                  Results... results) {
        const auto found = waiting_.find(id);
        if (found == waiting_.end())
            return false;
        auto leaving = std::move(found->second);
        waiting_.erase(found);
        members_.erase({leaving.group, id});
        std::move(leaving.waiting).complete(home, result, std::move(results)...);
        return true;
    }

    template <class Action>
    void for_each(group_id group, Action action) const {
        for (auto next = first_of(group); next != members_.end() && next->first == group; ++next)
            action(waiting_.at(next->second).waiting);
    }

    /// Completes those of the group in the order of their ids, with empty results.
    void complete_group(group_id group, const home_executor& home, error_code result) {
        for (auto next = first_of(group); next != members_.end() && next->first == group;
             next = first_of(group))
            complete(next->second, home, result, Results()...);
    }

    /// Completes all, with empty results.
    void fail_all(const home_executor& home, error_code why) {
        while (!waiting_.empty())
            complete(waiting_.begin()->first, home, why, Results()...);
    }

    std::vector<operation_id> members(group_id group) const {
        std::vector<operation_id> found;
        for (auto next = first_of(group); next != members_.end() && next->first == group; ++next)
            found.push_back(next->second);
        return found;
    }

    /// Nothing where it does not wait any more.
    std::optional<group_id> group_of(operation_id id) const {
        const auto found = waiting_.find(id);
        return found == waiting_.end() ? std::nullopt : std::optional(found->second.group);
    }
    bool has_any(group_id group) const {
        const auto first = first_of(group);
        return first != members_.end() && first->first == group;
    }

    std::size_t size() const { return waiting_.size(); }
    bool contains(operation_id id) const { return waiting_.contains(id); }
    /// For destruction without completion.
    auto take() {
        members_.clear();
        return std::exchange(waiting_, {});
    }

private:
    struct entry {
        entry(group_id the_group, operation&& the_waiting)
            : group(the_group), waiting(std::move(the_waiting)) {}

        group_id group;
        operation waiting;
    };

    auto first_of(group_id group) const { return members_.lower_bound({group, 0}); }

    protocol::kept_map<operation_id, entry> waiting_;
    protocol::kept_set<std::pair<group_id, operation_id>> members_;
};

} // namespace turnstile::detail
