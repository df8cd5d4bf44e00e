// Owner, held, lost; and what a ticket that goes leaves to its neighbour.
#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

void lock_queue::on_first_in_line(ticket& who) {
    forget_before(who);
    who.before.reset();
    who.neighbour_of.reset();
    who.no_tickets.clear();
    who.phase.take(ticket_step::came_first);
    const auto epoch = ++who.epoch;
    if (context_.rules.may_grant(context_.lease_is_fresh(), who.unseen))
        return grant(who);
    if (!context_.requests.connected())
        return; // searched again after the reconnect
    const auto id = who.id;
    context_.requests.send(
        {.op = operation::check, .path = path_of(who)}, {request_purpose::confirm, id, epoch},
        [this, id, epoch](const reply& answer) {
            const auto found = context_.find(id, epoch);
            if (!found || outcome_unknown(answer.code))
                return;
            if (answer.code == zookeeper_code::no_node)
                return on_deleted_outside(*found);
            if (answered(answer.code) && context_.lease_is_fresh())
                return grant(*found);
            context_.drop_connection(); // a handshake and one write prove a whole T
        });
}

void lock_queue::grant(ticket& who) {
    who.phase.take(ticket_step::was_granted);
    if (context_.rules.grant_ends_limit())
        who.acquire_deadline.cancel();
    context_.held.insert(who.id);
    context_.tell_deadline();
    context_.events.on_granted(who.id, context_.rules.token_of(who));
}

void lock_queue::lose(ticket& who) {
    const auto id = who.id;
    context_.held.erase(id);
    who.phase.take(ticket_step::was_told_lost);
    const auto now = context_.now();
    const auto end = context_.rules.end_of_place(now, context_.lease.deadline().value_or(now));
    who.place_expiry.set(end, [this, id] {
        if (const auto found = context_.find(id)) {
            leave(*found);
            erase(*found);
        }
    });
    context_.events.on_lost(id, failure::lost_deadline);
}

void lock_queue::remove_vanished(const std::function<bool(const ticket&)>& is_vanished,
                                 evidence why) {
    std::vector<ticket_id> vanished;
    for (const auto& [sequence, who] : by_sequence_)
        if (is_vanished(*who))
            vanished.push_back(who->id);
    for (const auto id : vanished) // all at once: none of them is another's neighbour any more
        by_sequence_.erase(context_.find(id)->name.sequence);
    for (const auto id : vanished)
        if (const auto who = context_.find(id))
            on_deleted_outside(*who, why);
}

void lock_queue::on_deleted_outside(ticket& who, evidence why) {
    const auto id = who.id;
    const auto heirs = neighbours_of(who);
    if (why == evidence::read)
        delete_ticket(who, delete_form::plain, 0);
    by_sequence_.erase(who.name.sequence);
    if (who.phase == ticket_phase::lost) {
        erase(who);
    } else if (who.phase == ticket_phase::held) {
        context_.held.erase(id);
        context_.events.on_note(note_level::error,
                                "held ticket deleted from outside: " + path_of(who));
        erase(who);
        context_.events.on_lost(id, failure::lost_deleted);
    } else {
        context_.events.on_note(note_level::warning,
                                "waiting ticket deleted from outside, enqueued again: " +
                                    path_of(who));
        restart(who);
    }
    for (const auto heir : heirs)
        find_predecessor(*heir);
}

std::vector<ticket*> lock_queue::neighbours_of(const ticket& who) {
    std::vector<ticket*> heirs;
    // Readers stand side by side: some of them may still search while others wait here.
    for (auto next = by_sequence_.upper_bound(who.name.sequence); next != by_sequence_.end();
         ++next) {
        if (next->second->neighbour_of == who.name.sequence)
            heirs.push_back(next->second);
        if (next->second->exclusive())
            break;
    }
    return heirs;
}

void lock_queue::reassign_heirs(const ticket& leaver, const std::vector<ticket*>& heirs) {
    for (const auto heir : heirs) {
        if (leaver.phase == ticket_phase::neighbour && leaver.neighbour_of &&
            by_sequence_.contains(*leaver.neighbour_of)) {
            heir->neighbour_of = leaver.neighbour_of;
            continue;
        }
        if (context_.rules.may_inherit_watch(*heir, leaver)) {
            heir->before = leaver.before;
            heir->neighbour_of.reset();
            heir->phase.take(ticket_step::inherited_watch);
            ++heir->epoch;
            context_.watches.add(heir->before->path, heir->id);
            continue;
        }
        context_.rules.leaving_hands_over() ? on_first_in_line(*heir)
                                            : find_predecessor_at(*heir, leaver.name.sequence - 1);
    }
}

void lock_queue::watch_own_later(ticket& who, duration delay) {
    const auto id = who.id;
    who.own_watch.set(context_.now() + delay, [this, id] {
        const auto found = context_.find(id);
        if (found && found->has_node())
            watch_own(*found);
    });
}

void lock_queue::forget_own_watch(ticket& who) {
    who.own_watch.cancel();
    if (std::exchange(who.watches_itself, false))
        context_.watches.remove(path_of(who), who.id);
}

void lock_queue::watch_own(ticket& who) {
    if (!context_.requests.connected())
        return;
    const auto id = who.id;
    const auto node = path_of(who);
    context_.requests.send({.op = operation::get, .path = node, .watch = true},
                           {request_purpose::watch_own, id, static_cast<std::uint64_t>(who.czxid)},
                           [this, id, node](const reply& answer) {
                               const auto found = context_.find(id);
                               if (!found || !found->has_node() || path_of(*found) != node)
                                   return;
                               if (answer.code == zookeeper_code::no_node)
                                   return on_deleted_outside(*found, evidence::read);
                               if (answer.code != zookeeper_code::ok)
                                   return;
                               found->watches_itself = true;
                               found->unseen = false;
                               context_.watches.add(node, id);
                           });
}

} // namespace turnstile::protocol
