// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/waiting_calls.hpp"

#include <algorithm>
#include <optional>

namespace turnstile::protocol {

// With the instant since when it waits.
template <class Action>
void waiting_calls::for_each(Action action) const {
    for (const auto kind : kinds_)
        kind->for_each_waiting(action);
    inquiries_.for_each_waiting(action);
    lookups_.for_each_waiting(action);
}

void waiting_calls::cancel(watcher_id which, failure why) {
    if (lookups_.knows(which))
        lookups_.cancel(which, why);
    else if (std::ranges::none_of(kinds_, [&](auto kind) { return kind->cancel(which, why); }))
        inquiries_.cancel(which, why);
}

void waiting_calls::fail_all(failure why) {
    std::vector<watcher_id> all;
    for_each([&](watcher_id id, instant) { all.push_back(id); });
    std::ranges::sort(all);
    for (const auto id : all)
        cancel(id, why);
}

void waiting_calls::limit() {
    if (!context_.requests.connected() && !none() && !due_.pending())
        due_.set(context_.now() + context_.options.unreachable_limit, [this] { fail_overdue(); });
}

void waiting_calls::fail_overdue() {
    std::vector<watcher_id> overdue;
    std::optional<instant> next;
    for_each([&](watcher_id id, instant since) {
        const auto due = since + context_.options.unreachable_limit;
        if (due <= context_.now())
            overdue.push_back(id);
        else
            next = next ? std::min(*next, due) : due;
    });
    if (next)
        due_.set(*next, [this] { fail_overdue(); });
    std::ranges::sort(overdue);
    for (const auto id : overdue)
        cancel(id, failure::unreachable);
}

} // namespace turnstile::protocol
