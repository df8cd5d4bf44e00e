// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/missed_events.hpp"

#include "protocol/queue/lock_queue.hpp"

#include <algorithm>

namespace turnstile::protocol {

namespace {

constexpr std::size_t beats_for_all = 4; // of the eight within T
// So that a beat of a session with very many tickets stays small.
constexpr std::size_t most_checks = 128;

} // namespace

const std::string* missed_events::awaited_node(const ticket& who) {
    const bool waits = who.phase == ticket_phase::waiting && who.before && who.before->armed;
    return waits ? &who.before->path : nullptr;
}

void missed_events::add_checks(std::vector<std::string>& nodes) {
    std::vector<ticket_id> waiting;
    for (const auto& [id, who] : tickets_)
        if (awaited_node(*who))
            waiting.push_back(id);
    const auto all_in_time = (waiting.size() + beats_for_all - 1) / beats_for_all;
    const auto count = std::min(all_in_time, most_checks);
    std::sort(waiting.begin(), waiting.end());
    auto next = std::upper_bound(waiting.begin(), waiting.end(), last_checked_);
    for (std::size_t i = 0; i < count; ++i, ++next) {
        if (next == waiting.end())
            next = waiting.begin();
        last_checked_ = *next;
        const auto& who = *tickets_.find(*next);
        nodes.push_back(who.where.path_of(who));
        nodes.push_back(*awaited_node(who));
    }
}

void missed_events::on_missing(const std::string& node) {
    std::vector<ticket_id> waiting;
    for (const auto& [id, who] : tickets_)
        if (const auto awaited = awaited_node(*who); awaited && *awaited == node)
            waiting.push_back(id);
    for (const auto id : waiting) {
        const auto who = tickets_.find(id);
        if (!who || !awaited_node(*who))
            continue;
        context_.events.on_missed_event(node);
        context_.watches.remove(node, id);
        who->where.on_watch(*who, node, watch_event::deleted);
    }
}

} // namespace turnstile::protocol
