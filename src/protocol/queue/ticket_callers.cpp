// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/ticket_callers.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

ticket* ticket_callers::find(const ticket_table& tickets, ticket_id caller) const {
    if (const auto joined = joined_.find(caller); joined != joined_.end())
        return joined->second;
    const auto own = tickets.find(caller);
    if (own == tickets.end())
        return nullptr;
    const auto& sharers = own->second->sharers; // it may have left, and its ticket stayed
    const bool stays = !sharers || std::any_of(sharers->begin(), sharers->end(),
                                               [&](const auto& s) { return s.id == caller; });
    return stays ? own->second : nullptr;
}

void ticket_callers::join(ticket& who, ticket_id caller, instant now, std::optional<instant> limit,
                          timer::callback on_limit) {
    auto& clock = who.deadline.owner();
    if (!who.sharers) { // its own limit stays with the ticket
        who.sharers = std::make_unique<std::list<sharer>>();
        who.sharers->emplace_back(who.id, who.started, clock);
    }
    auto& added = who.sharers->emplace_back(caller, now, clock);
    if (limit)
        added.acquire_deadline.set(*limit, on_limit);
    joined_.emplace(caller, &who);
}

bool ticket_callers::leave(ticket& who, ticket_id caller) {
    if (who.sharer_count() < 2)
        return false;
    if (caller == who.id && who.phase < ticket_phase::held)
        who.deadline.cancel();
    std::erase_if(*who.sharers, [&](const auto& each) { return each.id == caller; });
    joined_.erase(caller);
    return true;
}

std::vector<ticket_id> ticket_callers::take(ticket& who) {
    std::vector<ticket_id> all;
    for_each(who, [&](ticket_id id, instant) { all.push_back(id); });
    forget(who);
    return all;
}

void ticket_callers::forget(ticket& who) {
    if (const auto sharers = std::move(who.sharers))
        for (const auto& each : *sharers)
            joined_.erase(each.id);
}

void ticket_callers::granted(ticket& who, std::int64_t token) {
    if (who.sharers)
        for (auto& each : *who.sharers)
            each.acquire_deadline.cancel();
    for_each(who, [&](ticket_id id, instant) { events_.on_granted(id, token); });
}

void ticket_callers::lost(const ticket& who, failure why) {
    for_each(who, [&](ticket_id id, instant) { events_.on_lost(id, why); });
}

} // namespace turnstile::protocol
