// SPDX-License-Identifier: BSL-1.0
// Operations that wait, by id and by the group that they belong to: the acquires of a mutex object,
// the waits for what becomes of a lock.
#pragma once

#include "locks/operation_table.hpp"

#include <turnstile/error.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::detail {

/// They complete with an error code, and a result of each of these types.
template <class Operation, class... Results>
class grouped_table {
public:
    using operation = Operation;
    using group_id = std::uint64_t;

    /// The operation is made of `made_of`.
    template <class... MadeOf>
    void add(operation_id id, group_id group, MadeOf&&... made_of) {
        auto& those = groups_[group]; // first: where there is no memory, an empty group is left
        // Ids grow, more often than not.
        const auto added =
            waiting_.try_emplace(waiting_.end(), id, group, std::forward<MadeOf>(made_of)...);
        added->second.before = std::exchange(those.last, &*added);
        (added->second.before ? added->second.before->second.after : those.first) = &*added;
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
        leave_group(found->second);
        const removal at_end{waiting_, found};
        std::move(found->second.waiting).complete(home, result, std::move(results)...);
        return true;
    }

    template <class Action>
    void for_each(group_id group, Action action) const {
        for (auto next = first_of(group); next; next = next->second.after)
            action(next->second.waiting);
    }

    /// Completes those of the group in the order of their arrival, with empty results.
    void complete_group(group_id group, const home_executor& home, error_code result) {
        while (const auto* const next = first_of(group))
            complete(next->first, home, result, Results()...);
    }

    /// Completes all, with empty results.
    void fail_all(const home_executor& home, error_code why) {
        while (!waiting_.empty())
            complete(waiting_.begin()->first, home, why, Results()...);
    }

    std::vector<operation_id> members(group_id group) const {
        std::vector<operation_id> found;
        for (auto next = first_of(group); next; next = next->second.after)
            found.push_back(next->first);
        return found;
    }

    /// Nothing where it does not wait any more.
    std::optional<group_id> group_of(operation_id id) const {
        const auto found = waiting_.find(id);
        return found == waiting_.end() ? std::nullopt : std::optional(found->second.group);
    }
    bool has_any(group_id group) const { return first_of(group) != nullptr; }

    std::size_t size() const { return waiting_.size(); }
    bool contains(operation_id id) const { return waiting_.contains(id); }
    /// For destruction without completion.
    auto take() {
        groups_.clear();
        return std::exchange(waiting_, {});
    }

private:
    struct entry;
    using table = std::map<operation_id, entry>;
    using member = std::pair<const operation_id, entry>; // it stays where it is until it leaves
    struct entry {
        template <class... MadeOf>
        explicit entry(group_id the_group, MadeOf&&... made_of)
            : group(the_group), waiting(std::forward<MadeOf>(made_of)...) {}

        group_id group;
        member* before = nullptr; // of the same group
        member* after = nullptr;
        operation waiting;
    };
    struct members_of_group {
        member* first = nullptr;
        member* last = nullptr;
    };

    /// Takes the entry out at its end, also where the completion throws.
    struct removal {
        table& from;
        typename table::iterator who;

        ~removal() { from.erase(who); }
    };

    const member* first_of(group_id group) const {
        const auto found = groups_.find(group);
        return found == groups_.end() ? nullptr : found->second.first;
    }

    void leave_group(const entry& leaving) {
        const auto those = groups_.find(leaving.group);
        (leaving.before ? leaving.before->second.after : those->second.first) = leaving.after;
        (leaving.after ? leaving.after->second.before : those->second.last) = leaving.before;
        if (!those->second.first)
            groups_.erase(those);
    }

    table waiting_;
    // Whoever waits is in the list of its group. A set of pairs took four words more for each.
    std::unordered_map<group_id, members_of_group> groups_;
};

} // namespace turnstile::detail
