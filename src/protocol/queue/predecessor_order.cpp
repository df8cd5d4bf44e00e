// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/predecessor_order.hpp"

#include "protocol/names/ticket_data.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <string_view>

namespace turnstile::protocol {

bool predecessor_order::is_blocked(const ticket& newcomer) const {
    const auto& standing = queue_.standing();
    if (newcomer.exclusive())
        return !standing.empty();
    return std::any_of(standing.begin(), standing.end(),
                       [](const ticket* who) { return who->exclusive(); });
}

void predecessor_order::on_enqueued(ticket& who, std::int32_t children) {
    who.crowded = children >= context_.options.crowd;
    if (context_.rules.marks_while_waiting())
        mark_clear(who);
    if (!context_.rules.came_alone(children))
        return search(who);
    if (queue_.standing().size() > 1)
        queue_.remove_vanished(
            [&](const ticket& other) { return other.name.sequence < who.name.sequence; },
            lock_queue::evidence::certain);
    first_(who);
}

void predecessor_order::search(ticket& who) { search_at(who, who.name.sequence - 1); }

void predecessor_order::on_watch(ticket& who, const std::string& node, watch_event event) {
    if (who.phase != ticket_phase::waiting || !who.before || who.before->path != node)
        return;
    const auto before = *who.before;
    who.before.reset();
    if (context_.rules.hands_over(event, before.trusted))
        return first_(who);
    const auto vanished =
        ticket_name::parse(std::string_view(node).substr(queue_.path().size() + 1));
    const bool one_of_ours = vanished && vanished->incarnation == who.name.incarnation;
    if (event == watch_event::deleted && one_of_ours) {
        queue_.on_ticket_gone(*vanished); // one of this session may hear of it later, or never
        search_behind_gone(who, *vanished);
    } else if (event == watch_event::changed && one_of_ours && !before.exclusive) {
        who.phase.take(ticket_step::searches); // the reader has marked its ticket, and stands
        ++who.epoch;
        get_before(who, vanished->str());
    } else {
        // Another program's node may share its sequence with one more (Curator's downgrade): list.
        who.neighbour_of.reset();
        list(who);
    }
    if (context_.rules.keeps_fired_watch() && who.phase == ticket_phase::finding_predecessor)
        who.before = before;
}

void predecessor_order::unwatch(const ticket& who) {
    if (who.before && who.before->armed)
        context_.watches.remove(who.before->path, who.id);
}

void predecessor_order::forget(ticket& who) {
    unwatch(who);
    who.before.reset();
    who.neighbour_of.reset();
    who.no_tickets.reset();
}

void predecessor_order::on_grant(ticket& who) { mark_clear(who); }

void predecessor_order::mark_clear(const ticket& who) {
    if (who.exclusive())
        return;
    queue_.saw_clear(who.name.sequence);
    if (!who.crowded || !who.name.guarded || !context_.requests.connected())
        return;
    const std::string data = context_.options.who.str(who.request.str()).append(clear_mark);
    context_.requests.send({.op = operation::set, .path = queue_.path_of(who), .data = data},
                           [](const reply&) {});
}

delete_form predecessor_order::form_of_release(const ticket& holder) const {
    return context_.rules.releases_with_changed(holder.kind, holder.name.guarded)
               ? delete_form::release
               : delete_form::plain;
}

std::vector<ticket*> predecessor_order::heirs_of(const ticket& who) const {
    std::vector<ticket*> heirs;
    const auto& standing = queue_.standing();
    // Readers stand side by side: some of them may still search while others wait here.
    for (auto next = standing.upper_bound(who.name.sequence); next != standing.end(); ++next) {
        if ((*next)->neighbour_of == who.name.sequence)
            heirs.push_back(*next);
        if ((*next)->exclusive())
            break;
    }
    return heirs;
}

// The smallest ticket belongs to this session either way: no need to wait for the transaction.
void predecessor_order::on_release(ticket_kind released, const std::vector<ticket*>& heirs) {
    if (!context_.rules.release_serves_neighbours())
        return;
    for (const auto heir : heirs)
        released == ticket_kind::exclusive ? first_(*heir) : search(*heir);
}

void predecessor_order::on_leave(ticket& leaver, const std::vector<ticket*>& heirs) {
    unwatch(leaver); // `leaver.before` stays: an heir may wait for the same predecessor
    for (const auto heir : heirs) {
        if (leaver.phase == ticket_phase::neighbour && leaver.neighbour_of &&
            queue_.standing().contains(*leaver.neighbour_of)) {
            heir->neighbour_of = leaver.neighbour_of;
            continue;
        }
        if (context_.rules.may_inherit_watch(*heir, leaver)) {
            heir->before = leaver.before;
            heir->neighbour_of.reset();
            heir->phase.take(ticket_step::inherited_watch);
            ++heir->epoch;
            context_.watches.add(heir->before->path, heir->id);
            watch_itself(*heir);
            continue;
        }
        context_.rules.leaving_hands_over() ? first_(*heir)
                                            : search_at(*heir, leaver.name.sequence - 1);
    }
}

void predecessor_order::on_downgrade(ticket& who, const std::vector<ticket*>& heirs) {
    on_grant(who); // nothing below it is left
    for (const auto heir : heirs)
        if (heir->exclusive())
            search(*heir);
        else if (context_.rules.downgrade_lets_readers_in()) {
            // It did not watch itself. With its writer's ticket goes what kept others out.
            heir->unseen |= context_.rules.watches_itself_from_the_start();
            first_(*heir);
        }
}

void predecessor_order::on_vanish(const std::vector<ticket*>& heirs) {
    for (const auto heir : heirs)
        search(*heir);
}

} // namespace turnstile::protocol
