// SPDX-License-Identifier: BSL-1.0
// A table of operations that wait for their completion.
#pragma once

#include "session/completion.hpp"

#include <turnstile/error.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace turnstile::detail {

using operation_id = std::uint64_t;

/// Operations that wait, by their ids. Each belongs to a group, such as the acquires of one lock
/// object, or the waits for the loss of one lock. An operation completes with an error code, and a
/// result of each type in `Results`. It leaves the table first. Only one thread may use a table at
/// a time: the tables of a session are used on its strand.
template <class Operation, class... Results>
class pending_table {
public:
    using operation = Operation;
    using group_id = std::uint64_t;

    void add(operation_id id, operation&& waiting, group_id group = 0) {
        groups_.emplace(group, id);
        waiting_.try_emplace(id, group, std::move(waiting));
    }

    /// Null if the operation does not wait any more.
    operation* find(operation_id id) {
        const auto found = waiting_.find(id);
        return found == waiting_.end() ? nullptr : &found->second.second;
    }

    /// Completes one operation. Returns false if it did not wait any more.
    bool complete(operation_id id, error_code result, Results... results) {
        auto node = waiting_.extract(id);
        if (node.empty())
            return false;
        auto& [group, waiting] = node.mapped();
        groups_.erase({group, id});
        std::move(waiting).complete(result, std::move(results)...);
        return true;
    }
    /// Completes the operations of a group in the order of their ids, with empty results.
    void complete_group(group_id group, error_code result) {
        while (const auto id = first_of(group))
            complete(*id, result, Results()...);
    }
    /// Completes all operations, with empty results.
    void fail_all(error_code why) {
        while (!empty())
            complete(waiting_.begin()->first, why, Results()...);
    }

    template <class Action>
    void for_each(Action action) const {
        for (const auto& [id, member] : waiting_)
            action(member.second);
    }
    std::vector<operation_id> members(group_id group) const {
        std::vector<operation_id> ids;
        for (auto next = groups_.lower_bound({group, 0});
             next != groups_.end() && next->first == group; ++next)
            ids.push_back(next->second);
        return ids;
    }
    std::optional<operation_id> first_of(group_id group) const {
        const auto first = groups_.lower_bound({group, 0});
        return first != groups_.end() && first->first == group ? std::optional(first->second)
                                                               : std::nullopt;
    }
    /// Nothing if the operation does not wait any more.
    std::optional<group_id> group_of(operation_id id) const {
        const auto found = waiting_.find(id);
        return found == waiting_.end() ? std::nullopt : std::optional(found->second.first);
    }
    bool empty() const { return waiting_.empty(); }
    std::size_t size() const { return waiting_.size(); }
    bool contains(operation_id id) const { return waiting_.contains(id); }
    /// Takes all operations out, to be destroyed without a completion.
    auto take() {
        groups_.clear();
        return std::exchange(waiting_, {});
    }

private:
    std::map<operation_id, std::pair<group_id, operation>> waiting_;
    std::set<std::pair<group_id, operation_id>> groups_; // the same operations, by group
};

/// A table for operations of which a session keeps the handler, and nothing else.
template <class... Results>
using operation_table = pending_table<pending_operation<error_code, Results...>, Results...>;

} // namespace turnstile::detail
