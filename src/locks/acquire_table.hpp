// The acquires in progress, by id and by the mutex object that started them.
#pragma once

#include "locks/operation_table.hpp"

#include <turnstile/error.hpp>
#include <turnstile/held_lock.hpp>

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace turnstile::detail {

class acquire_table {
public:
    using operations = operation_table<error_code, held_lock>;

    void add(operation_id id, operation_id group, operations::operation waiting) {
        waiting_.add(id, std::move(waiting));
        group_of_.emplace(id, group);
        members_.emplace(group, id);
    }

    bool complete(operation_id id, const boost::asio::any_io_executor& executor, error_code result,
                  held_lock lock) {
        if (const auto found = group_of_.find(id); found != group_of_.end()) {
            members_.erase({found->second, id});
            group_of_.erase(found);
        }
        return waiting_.complete(id, executor, result, std::move(lock));
    }

    void fail_all(const boost::asio::any_io_executor& executor, const error_code& why) {
        group_of_.clear();
        members_.clear();
        while (!waiting_.empty())
            waiting_.complete(waiting_.first(), executor, why, held_lock());
    }

    std::vector<operation_id> members(operation_id group) const {
        std::vector<operation_id> found;
        for (auto next = members_.lower_bound({group, 0});
             next != members_.end() && next->first == group; ++next)
            found.push_back(next->second);
        return found;
    }

    bool contains(operation_id id) const { return waiting_.contains(id); }
    auto take() {
        group_of_.clear();
        members_.clear();
        return waiting_.take();
    }

private:
    operations waiting_;
    std::map<operation_id, operation_id> group_of_;
    std::set<std::pair<operation_id, operation_id>> members_;
};

} // namespace turnstile::detail
