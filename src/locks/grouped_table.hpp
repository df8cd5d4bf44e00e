// Operations that wait, by id and by the group that they belong to: the acquires of a mutex object,
// the waits for what becomes of a lock.
#pragma once

#include "locks/operation_table.hpp"

#include <turnstile/error.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace turnstile::detail {

/// They complete with an error code, and a result of each of these types.
template <class... Results>
class grouped_table {
public:
    using operation = pending_operation<error_code, Results...>;
    using group_id = std::uint64_t;

    void add(operation_id id, group_id group, operation waiting) {
        waiting_.emplace(id, entry{group, std::move(waiting)});
        members_.emplace(group, id);
    }

    /// Completes one, if it still waits.
    bool complete(operation_id id, const home_executor& home, error_code result,
                  Results... results) {
        auto node = waiting_.extract(id);
        if (node.empty())
            return false;
        members_.erase({node.mapped().group, id});
        std::move(node.mapped().waiting).complete(home, result, std::move(results)...);
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

    std::map<operation_id, entry> waiting_;
    std::set<std::pair<group_id, operation_id>> members_;
};

} // namespace turnstile::detail
