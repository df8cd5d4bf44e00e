// Operations that wait, by id and by the group that they belong to: the acquires of a mutex object,
// the waits for what becomes of a lock.
#pragma once

#include "locks/operation_table.hpp"

#include <turnstile/error.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace turnstile::detail {

/// They complete with an error code, and a result of each of these types.
template <class Operation, class... Results>
class grouped_table {
public:
    using operation = Operation;
    using group_id = std::uint64_t;

    void add(operation_id id, group_id group, operation waiting) {
        if (spare_.empty()) {
            waiting_.emplace(id, entry{group, std::move(waiting)});
        } else {
            spare_.key() = id;
            spare_.mapped().emplace(entry{group, std::move(waiting)});
            waiting_.insert(std::move(spare_));
        }
        if (spare_member_.empty()) {
            members_.emplace(group, id);
        } else {
            spare_member_.value() = {group, id};
            members_.insert(std::move(spare_member_));
        }
    }

    /// Null where it does not wait any more.
    operation* find(operation_id id) {
        const auto found = waiting_.find(id);
        return found == waiting_.end() ? nullptr : &found->second->waiting;
    }

    /// Completes one, if it still waits.
    bool complete(operation_id id, const home_executor& home, error_code result,
                  Results... results) {
        auto node = waiting_.extract(id);
        if (node.empty())
            return false;
        auto leaving = std::move(*node.mapped());
        node.mapped().reset();
        spare_ = std::move(node);
        spare_member_ = members_.extract({leaving.group, id});
        std::move(leaving.waiting).complete(home, result, std::move(results)...);
        return true;
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

    std::size_t size() const { return waiting_.size(); }
    bool contains(operation_id id) const { return waiting_.contains(id); }
    /// For destruction without completion.
    auto take() {
        members_.clear();
        return std::exchange(waiting_, {});
    }

private:
    struct entry {
        group_id group;
        operation waiting;
    };

    auto first_of(group_id group) const { return members_.lower_bound({group, 0}); }

    using entries = std::map<operation_id, std::optional<entry>>; // empty where it is spare
    using members_by_group = std::set<std::pair<group_id, operation_id>>;

    entries waiting_;
    members_by_group members_;
    // The memory of the operation that was completed last, for the next one.
    typename entries::node_type spare_;
    members_by_group::node_type spare_member_;
};

} // namespace turnstile::detail
