// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/ticket_table.hpp"

#include <algorithm>

namespace turnstile::protocol {

void ticket_table::erase(ticket& who) {
    forget_callers(who);
    tickets_.erase(who.id);
}

ticket* ticket_table::of_caller(ticket_id caller) const {
    if (const auto joined = joined_.find(caller); joined != joined_.end())
        return joined->second;
    const auto own = find(caller);
    if (!own || own->sharers.empty())
        return own;
    // It may have left, and its ticket stayed.
    const bool stays =
        std::ranges::any_of(own->sharers, [&](const auto& each) { return each.id == caller; });
    return stays ? own : nullptr;
}

void ticket_table::join(ticket& who, ticket_id caller, std::optional<instant> limit,
                        const timer::callback& on_limit) {
    if (who.sharers.empty()) // its own limit stays with the ticket
        who.sharers.emplace_back(who.id, who.started, context_.clock);
    auto& added = who.sharers.emplace_back(caller, context_.now(), context_.clock);
    if (limit)
        added.acquire_deadline.set(*limit, on_limit);
    joined_.emplace(caller, &who);
}

bool ticket_table::leave(ticket& who, ticket_id caller) {
    if (who.sharers.size() < 2)
        return false;
    if (caller == who.id && who.phase < ticket_phase::held)
        who.deadline.cancel();
    std::erase_if(who.sharers, [&](const auto& each) { return each.id == caller; });
    joined_.erase(caller);
    return true;
}

std::vector<ticket_id> ticket_table::callers(const ticket& who) {
    std::vector<ticket_id> all;
    for_each_caller(who, [&](ticket_id id, instant) { all.push_back(id); });
    return all;
}

std::vector<ticket_id> ticket_table::take_callers(ticket& who) {
    auto all = callers(who);
    forget_callers(who);
    return all;
}

void ticket_table::forget_callers(ticket& who) {
    for (const auto& each : who.sharers)
        joined_.erase(each.id);
    who.sharers.clear();
}

} // namespace turnstile::protocol
