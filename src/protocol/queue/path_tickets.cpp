// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/path_tickets.hpp"

#include "protocol/queue/ticket_table.hpp"

#include <algorithm>
#include <iterator>

namespace turnstile::protocol {

namespace {

/// Whether one more reader may join this reader's ticket. If the ticket is granted, and neither the
/// lease nor the node is in doubt, the reader holds the lock at once. If the ticket waits, the
/// reader waits with it. The number of joins is limited: a writer behind the ticket must not wait
/// for ever (R2). A ticket with a limit is not shared. `patient`: the reader may wait.
bool may_share(const ticket& last, std::size_t most_joins, bool patient, bool lease_is_fresh) {
    if (last.exclusive() || last.phase == ticket_phase::lost || last.lock.has_limit() ||
        last.joins >= most_joins)
        return false;
    if (last.phase != ticket_phase::held)
        return patient && last.options.wait;
    // No reader joins a writer that became a reader: the czxid of the new node is above the tokens
    // of tickets that wait already (D7).
    return !last.name.downgraded && lease_is_fresh && !last.unseen;
}

/// Whether a reader that joins this ticket would pass the writer, of the same session (R2). The
/// writer waits behind the ticket, or its place is unknown, as after a cut during its create.
bool is_passed(const ticket& writer, const ticket& joined) {
    if (!writer.exclusive() || writer.abandoned || writer.phase >= ticket_phase::held)
        return false;
    if (joined.has_node())
        return !writer.has_node() || joined.name.sequence < writer.name.sequence;
    return joined.phase == ticket_phase::creating && writer.phase != ticket_phase::creating &&
           !writer.has_node();
}

} // namespace

ticket& path_tickets::add(ticket_id id, lock_queue& owner) {
    return tickets_.try_emplace(id, id, owner, context_).first->second;
}

std::vector<ticket_id> path_tickets::ids_in(ticket_phase phase) const {
    std::vector<ticket_id> result;
    for (const auto& [id, who] : tickets_)
        if (who.phase == phase)
            result.push_back(id);
    return result;
}

ticket* path_tickets::find(const ticket_name& name) const {
    const auto found = standing_.find(name.sequence);
    return found != standing_.end() && found->second->name == name ? found->second : nullptr;
}

bool path_tickets::may_have(const ticket_name& name) const {
    const auto found = standing_.find(name.sequence);
    return found != standing_.end() && found->second->may_be(name);
}

std::vector<ticket_name> path_tickets::holders_behind(const ticket_name& name) const {
    std::vector<ticket_name> found;
    for (auto next = standing_.upper_bound(name.sequence); next != standing_.end(); ++next) {
        const auto& who = *next->second;
        const bool holds = who.phase >= ticket_phase::confirming;
        if (!holds && who.exclusive())
            break; // no other holds the lock behind this one
        if (holds && !who.is_changing() && exclude_each_other(who.name, name))
            found.push_back(who.name);
    }
    return found;
}

bool path_tickets::holds_against(ticket_kind kind) const {
    for (const auto& [sequence, who] : standing_) { // holders come first
        if (who->phase == ticket_phase::held)
            return kind == ticket_kind::exclusive || who->exclusive();
        if (who->exclusive())
            return false;
    }
    return false;
}

ticket* path_tickets::find_shareable(const acquire_request& what) {
    if (what.max_hold)
        return nullptr;
    // Only the last ticket is shared, so a reader passes no writer that came after it (R2). An
    // earlier writer may stand behind it all the same: has_writer_behind() finds that one.
    const auto last = std::find_if(tickets_.rbegin(), tickets_.rend(),
                                   [](const auto& each) { return !each.second.abandoned; });
    if (last == tickets_.rend())
        return nullptr;
    auto& who = last->second;
    // A ticket that may be enqueued again goes to the incarnation that its first caller wants (M4).
    const bool keeps_incarnation =
        who.phase == ticket_phase::held &&
        (what.incarnation == 0 || what.incarnation == who.name.incarnation);
    if (!keeps_incarnation && who.options.incarnation != what.incarnation)
        return nullptr;
    if (who.phase == ticket_phase::waiting_for_budget && what.later_part)
        return nullptr; // a later part does not wait for the budget (M8)
    const bool is_shareable =
        may_share(who, context_.options.joins, what.patient, context_.lease_is_fresh());
    return is_shareable && !has_writer_behind(who) ? &who : nullptr;
}

bool path_tickets::has_writer_behind(const ticket& joined) const {
    const bool all_stand = standing_.size() == tickets_.size();
    if (all_stand && std::prev(standing_.end())->second == &joined)
        return false; // as nearly always
    return std::ranges::any_of(tickets_,
                               [&](const auto& each) { return is_passed(each.second, joined); });
}

void path_tickets::collect_searches(searches& due) const {
    using enum ticket_phase;
    for (const auto& [id, who] : tickets_)
        if (who.phase == finding_predecessor || who.phase == waiting || who.phase == confirming)
            due.emplace_back(id, who.epoch);
}

void path_tickets::note_ahead(ticket& who, std::int32_t ahead) {
    if (ahead >= who.ahead)
        return;
    who.ahead = ahead;
    if (ahead > 0 && who.phase == ticket_phase::waiting && !who.taker)
        ticket_table::for_each_caller(
            who, [&](ticket_id id, instant) { context_.lock_events.on_moved_up(id, ahead); });
}

// `since` numbers were given from this ticket's on. So at most `since` children are this ticket, or
// stand behind it. All others stand before it. No new node can come before it.
void path_tickets::learn_places(const node_stat& of_path, bool is_known) {
    for (const auto& [sequence, who] : standing_) {
        const auto since = of_path.next_sequence() - sequence;
        note_ahead(*who, is_known ? std::max(0, of_path.children - since) : 0);
    }
    children_ = of_path.children;
}

} // namespace turnstile::protocol
