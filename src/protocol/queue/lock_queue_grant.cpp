// SPDX-License-Identifier: BSL-1.0
// Owner, held, lost.
#include "protocol/queue/line_taker.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

void lock_queue::on_first_in_line(ticket& who) {
    order_->forget(who);
    who.phase.take(ticket_step::came_first);
    const auto epoch = ++who.epoch;
    if (who.taker)
        return who.taker->on_first(who.id);
    if (context_.rules.may_grant(context_.lease_is_fresh(), who.unseen))
        return grant(who);
    if (!context_.requests.connected())
        return; // searched again after the reconnect
    const auto id = who.id;
    context_.requests.send({.op = operation::check, .path = path_of(who)},
                           [this, id, epoch](const reply& answer) {
                               const auto found = context_.find(id, epoch);
                               if (!found || outcome_unknown(answer.code))
                                   return;
                               if (answer.code == zookeeper_code::no_node)
                                   return on_deleted_outside(*found);
                               if (answered(answer.code) && context_.lease_is_fresh()) {
                                   found->unseen = false;
                                   return grant(*found);
                               }
                               context_.prove_anew([&] { on_first_in_line(*found); });
                           });
}

void lock_queue::grant(ticket& who) {
    who.phase.take(ticket_step::was_granted);
    if (context_.rules.grant_ends_limit())
        who.deadline.cancel();
    context_.held.insert(who.id);
    context_.tell_deadline();
    context_.callers.granted(who, context_.rules.token_of(who));
    order_->on_grant(who);
}

void lock_queue::tell_lost(const std::vector<ticket_id>& callers, failure why) {
    for (const auto id : callers)
        context_.events.on_lost(id, why);
}

void lock_queue::lose(ticket& who) {
    const auto id = who.id;
    context_.held.erase(id);
    who.phase.take(ticket_step::was_told_lost);
    const auto now = context_.now();
    const auto end = context_.rules.end_of_place(now, context_.lease.deadline().value_or(now));
    who.deadline.set(end, [this, id] {
        if (const auto found = context_.find(id)) {
            leave(*found);
            erase(*found);
        }
    });
    context_.callers.lost(who, failure::lost_deadline);
    end_changes(who, failure::lost_deadline);
}

void lock_queue::remove_vanished(const std::function<bool(const ticket&)>& is_vanished,
                                 evidence why) {
    std::vector<ticket_id> vanished;
    for (const auto who : standing_)
        if (is_vanished(*who))
            vanished.push_back(who->id);
    for (const auto id : vanished) // all at once: none of them is another's neighbour any more
        standing_.erase(context_.find(id));
    for (const auto id : vanished)
        if (const auto who = context_.find(id))
            on_deleted_outside(*who, why);
}

void lock_queue::on_deleted_outside(ticket& who, evidence why) {
    const auto id = who.id;
    const auto heirs = order_->heirs_of(who);
    if (why == evidence::read)
        delete_ticket(who, delete_form::plain, 0);
    standing_.erase(&who);
    if (who.phase == ticket_phase::lost) {
        erase(who);
    } else if (who.phase == ticket_phase::held) {
        context_.held.erase(id);
        context_.events.on_note(note_level::info,
                                "held ticket deleted from outside: " + path_of(who));
        const auto callers = context_.callers.take(who);
        end_changes(who, failure::lost_deleted);
        erase(who);
        tell_lost(callers, failure::lost_deleted);
    } else {
        context_.events.on_note(note_level::warning,
                                "waiting ticket deleted from outside, enqueued again: " +
                                    path_of(who));
        restart(who);
    }
    order_->on_vanish(heirs);
}

bool lock_queue::may_not_wait(ticket& who) {
    const bool crowded = std::exchange(who.in_reserve, false) && !context_.bytes.fits(0, true);
    if (who.patient && !crowded)
        return false;
    cancel(who, who.patient ? failure::session_full : failure::would_block);
    return true;
}

void lock_queue::on_watch(ticket& who, const std::string& node, watch_event event) {
    if (!who.has_node() || node != path_of(who))
        return order_->on_watch(who, node, event);
    if (!context_.rules.heeds_own_watch())
        return;
    who.watches_itself = own_watch_state::none;
    if (who.is_changing()) { // its answer tells what became of the node
        if (event == watch_event::deleted && context_.rules.doubts_its_downgrade(who))
            await_downgrade(who);
        return;
    }
    if (event == watch_event::deleted)
        return on_deleted_outside(who);
    watch_own(who); // a ticket has no children, so no server tells this
}

// Where the downgrade deleted the node, its answer comes right behind this event. Else another hand
// did, and the downgrade may be held back on its way.
void lock_queue::await_downgrade(ticket& who) {
    const auto id = who.id;
    const auto end = context_.now() + lease_plan::late_answer(context_.lease.timeout());
    who.own_watch.set(end, [this, id] {
        const auto found = context_.find(id);
        if (found && found->phase == ticket_phase::held && found->is_downgrading())
            on_deleted_outside(*found, evidence::read);
    });
}

void lock_queue::watch_own_later(ticket& who, duration delay) {
    const auto id = who.id;
    who.own_watch.set(context_.now() + delay, [this, id] {
        const auto found = context_.find(id);
        if (found && found->has_node())
            watch_own(*found);
    });
}

// What was told of the node meanwhile was not heeded.
void lock_queue::stays(ticket& who) {
    who.taking = false;
    if (who.watches_itself == own_watch_state::none)
        watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
}

void lock_queue::forget_own_watch(ticket& who) {
    who.own_watch.cancel();
    if (std::exchange(who.watches_itself, own_watch_state::none) == own_watch_state::armed)
        context_.watches.remove(path_of(who), who.id, watch_kind::children);
}

void lock_queue::watch_own(ticket& who) {
    if (!context_.requests.connected() || who.watches_itself != own_watch_state::none)
        return;
    who.watches_itself = own_watch_state::asked;
    const auto id = who.id;
    const auto node = path_of(who);
    context_.requests.send({.op = operation::get_children, .path = node, .watch = true},
                           [this, id, node](const reply& answer) {
                               const auto found = context_.find(id);
                               if (!found || !found->has_node() || path_of(*found) != node)
                                   return;
                               found->watches_itself = own_watch_state::none;
                               if (found->is_changing())
                                   return;
                               if (answer.code == zookeeper_code::no_node)
                                   return on_deleted_outside(*found, evidence::read);
                               if (refused(answer.code))
                                   return watch_own_later(
                                       *found, lease_plan::asked_again(context_.lease.timeout()));
                               if (answer.code != zookeeper_code::ok)
                                   return;
                               if (context_.rules.is_another_node(found->czxid, answer.stat.czxid))
                                   return on_deleted_outside(*found);
                               found->watches_itself = own_watch_state::armed;
                               found->unseen = false;
                               if (found->czxid == 0) // of one that was downgraded
                                   found->czxid = answer.stat.czxid;
                               context_.watches.add(node, id, watch_kind::children);
                           });
}

} // namespace turnstile::protocol
