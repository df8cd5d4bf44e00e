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
    using operations = operation_table<error_code, Results...>;
    using operation = typename operations::operation;
    using group_id = std::uint64_t;

    void add(operation_id id, group_id group, operation waiting) {
        waiting_.add(id, std::move(waiting));
        group_of_.emplace(id, group);
        members_.emplace(group, id);
    }

    /// Completes one, if it still waits.
    bool complete(operation_id id, const boost::asio::any_io_executor& executor, error_code result,
                  Results... results) {
        if (const auto found = group_of_.find(id); found != group_of_.end()) {
            members_.erase({found->second, id});
            group_of_.erase(found);
        }
        return waiting_.complete(id, executor, result, std::move(results)...);
    }

    /// Completes those of the group in the order of their ids, with empty results.
    void complete_group(group_id group, const boost::asio::any_io_executor& executor,
                        error_code result) {
        for (const auto id : members(group))
            complete(id, executor, result, Results()...);
    }

    /// Completes all, with empty results.
    void fail_all(const boost::asio::any_io_executor& executor, error_code why) {
        group_of_.clear();
        members_.clear();
        while (!waiting_.empty())
            waiting_.complete(waiting_.first(), executor, why, Results()...);
    }

    std::vector<operation_id> members(group_id group) const {
        std::vector<operation_id> found;
        for (auto next = members_.lower_bound({group, 0});
             next != members_.end() && next->first == group; ++next)
            found.push_back(next->second);
        return found;
    }

    std::size_t size() const { return group_of_.size(); }
    bool contains(operation_id id) const { return waiting_.contains(id); }
    /// For destruction without completion.
    auto take() {
        group_of_.clear();
        members_.clear();
        return waiting_.take();
    }

private:
    operations waiting_;
    std::map<operation_id, group_id> group_of_;
    std::set<std::pair<group_id, operation_id>> members_;
};

} // namespace turnstile::detail
