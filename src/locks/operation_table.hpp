// SPDX-License-Identifier: BSL-1.0
// Operations that wait under one id, such as those that await one event.
#pragma once

#include "locks/completion.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace turnstile::detail {

using operation_id = std::uint64_t;

template <class... Args>
class operation_table {
public:
    using operation = pending_operation<Args...>;
    using handler_type = typename operation::handler_type;

    void add(operation_id id, operation waiting) { waiting_.emplace(id, std::move(waiting)); }

    /// Null where it does not wait any more.
    const operation* find(operation_id id) const {
        const auto found = waiting_.find(id);
        return found == waiting_.end() ? nullptr : &found->second;
    }

    /// Completes one, if it still waits.
    bool complete(operation_id id, const home_executor& home, Args... arguments) {
        auto node = waiting_.extract(id);
        if (node.empty())
            return false;
        std::move(node.mapped()).complete(home, std::move(arguments)...);
        return true;
    }

    /// Completes all, each with a copy of the arguments, in the order of their ids.
    void complete_all(const home_executor& home, const Args&... arguments) {
        while (!waiting_.empty())
            complete(first(), home, arguments...);
    }

    template <class Action>
    void for_each(Action action) const {
        for (const auto& [id, waiting] : waiting_)
            action(waiting);
    }

    bool empty() const { return waiting_.empty(); }
    operation_id first() const { return waiting_.begin()->first; }
    bool contains(operation_id id) const { return waiting_.contains(id); }
    /// For destruction without completion.
    auto take() { return std::exchange(waiting_, {}); }

private:
    std::map<operation_id, operation> waiting_;
};

} // namespace turnstile::detail
