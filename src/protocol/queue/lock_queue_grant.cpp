// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <iterator>

namespace turnstile::protocol {

void lock_queue::on_first_in_line(ticket& who) {
    order_.forget(who);
    who.phase.enter(ticket_phase::confirming);
    ++who.epoch;
    if (who.taker) // a semaphore's, which counts its permits
        return who.taker->on_first(who.id);
    // A guarded write of an earlier holder may be on its way. The server lets it in as long as that
    // holder's node stands. So the grant waits until no such node is left (W5).
    if (context_.may_write_late() && leaving_.has_node_before(who.name)) {
        held_back_.insert(who.id); // on_deletion_ended() tries again
        return;
    }
    const bool is_shown = !who.unseen && !leaving_.is_unchecked(who.name);
    prove(who, who.lock.before_grant(is_shown));
}

void lock_queue::prove(ticket& who, grant_step next) {
    switch (next) {
    case grant_step::grant:
        return grant(who);
    case grant_step::check:
        return table_.ask_for(who, {.op = operation::check, .path = path_of(who)},
                              [this](ticket& first, const reply& answer) {
                                  prove(first, first.lock.after_check(answer));
                              });
    case grant_step::restart:
        return on_deleted_outside(who);
    case grant_step::wait:
        return;
    }
}

void lock_queue::grant(ticket& who) {
    who.phase.enter(ticket_phase::held);
    who.unseen = false;
    who.deadline.cancel();
    for (auto& each : who.sharers)
        each.acquire_deadline.cancel();
    who.lock.grant(
        who.id, who.czxid, [&who] { return ticket_table::callers(who); },
        [this, &who] { lose(who, failure::held_too_long); });
    order_.write_clear_mark(who);
}

// The node stays, and with it the place, until hold::lose() calls back.
void lock_queue::lose(ticket& who, failure why) {
    who.phase.enter(ticket_phase::lost);
    who.lock.lose(who.id, ticket_table::callers(who), why, [this, &who] {
        give_up_place(who);
        erase(who);
    });
    changes_.end_all(who, why);
}

void lock_queue::lose_place(ticket& who, failure why) {
    context_.held.erase(who.id);
    const auto callers = table_.take_callers(who);
    changes_.end_all(who, why);
    erase(who);
    for (const auto id : callers)
        context_.lock_events.on_lost(id, why);
}

void lock_queue::release(ticket& who, ticket_id caller) {
    if (who.wishes.upgrade_caller == caller)
        who.end_upgrade(); // the release answers its caller
    const auto why = who.lock.why_lost();
    const bool was_lost = who.lock.is_lost();
    if (table_.leave(who, caller)) // others hold by the same ticket
        return context_.lock_events.on_released(caller, why, zookeeper_code::ok);
    if (was_lost) { // the loss was reported: nothing to wait for
        give_up_place(who);
        erase(who);
        return context_.lock_events.on_released(caller, why, zookeeper_code::ok);
    }
    delete_and_hand_over(who, caller);
}

void lock_queue::delete_and_hand_over(ticket& who, ticket_id caller) {
    context_.held.erase(who.id);
    const auto successors = order_.local_successors(who);
    std::vector<ticket_name> next_holders; // the deletion checks that their nodes stand (Q12)
    if (who.keeps_readers_out())
        std::ranges::transform(successors, std::back_inserter(next_holders), &ticket::name);
    delete_node(who, who.name.hands_over() ? delete_form::release : delete_form::plain, caller,
                std::move(next_holders));
    hand_over(who, successors);
}

void lock_queue::leave_with_transaction(ticket& who) {
    const auto successors = order_.local_successors(who);
    tickets_.leave(who);
    hand_over(who, successors);
}

void lock_queue::hand_over(ticket& who, const std::vector<ticket*>& successors) {
    const bool kept_readers_out = who.keeps_readers_out();
    order_.forget(who);
    erase(who);
    order_.on_release(kept_readers_out, successors);
}

void lock_queue::remove_vanished(const std::function<bool(const ticket&)>& is_vanished,
                                 evidence known_by) {
    std::vector<ticket_id> vanished;
    for (const auto& [sequence, who] : tickets_.standing())
        if (is_vanished(*who))
            vanished.push_back(who->id);
    // By ids: a restart may end other tickets. All leave first, so that none waits for another.
    for (const auto id : vanished)
        tickets_.leave(*table_.find(id));
    for (const auto id : vanished)
        if (const auto who = table_.find(id))
            on_deleted_outside(*who, known_by);
}

void lock_queue::on_deleted_outside(ticket& who, evidence known_by) {
    // A lost ticket keeps its place until hold::lose() ends it: its holder may not know of the loss
    // yet. But if its path was made anew, remove_vanished() has taken it out before, and no place
    // is left to keep.
    const bool stands = tickets_.find(who.name) != nullptr;
    if (who.phase == ticket_phase::lost && stands)
        return;
    const auto successors = order_.local_successors(who);
    if (known_by == evidence::read)
        delete_node(who, delete_form::plain);
    else
        tickets_.leave(who);
    if (who.phase == ticket_phase::lost) {
        erase(who);
    } else if (who.phase == ticket_phase::held) {
        context_.events.on_note(log_level::info,
                                "held ticket deleted from outside: " + path_of(who));
        lose_place(who, failure::ticket_deleted);
    } else {
        // Without a lease the session may have expired: then no other program deleted the node.
        if (context_.lease.left(context_.now()) > duration::zero())
            context_.events.on_note(log_level::warning,
                                    "waiting ticket deleted from outside, enqueued again: " +
                                        path_of(who));
        enqueues_.restart(who);
    }
    for (const auto next : successors)
        order_.search(*next);
}

bool lock_queue::fail_if_may_not_wait(ticket& who) {
    if (!who.bytes.must_not_wait() && who.options.wait)
        return false;
    cancel(who, who.options.wait ? failure::session_full : failure::would_block);
    return true;
}

// An event of the own node: DELETED restarts or ends the ticket, CHANGED spends the watch. While
// this session changes the node, neither does: the answer decides.
void lock_queue::on_watch(ticket& who, const std::string& node, watch_event event) {
    if (!who.has_node() || node != path_of(who))
        return order_.on_watch(who, node, event);
    who.watches_itself = own_watch_state::none;
    if (who.is_changing()) {
        if (event == watch_event::deleted && who.phase == ticket_phase::held)
            changes_.await_downgrade(who);
        return;
    }
    if (event == watch_event::deleted)
        return on_deleted_outside(who);
    who.unseen = true; // its data was set, and the watch is spent: its end may be missed
    watch_own(who);
}

void lock_queue::on_missed_event(ticket& who) {
    const auto node = who.before->path;
    context_.events.on_missed_event(node);
    context_.watches.remove(node, who.id);
    order_.on_watch(who, node, watch_event::deleted);
}

void lock_queue::watch_own_later(ticket& who, duration delay) {
    who.own_timer.set(context_.now() + delay, [this, &who] {
        if (who.has_node())
            watch_own(who);
    });
}

void lock_queue::forget_own_watch(ticket& who) {
    who.own_timer.cancel();
    if (std::exchange(who.watches_itself, own_watch_state::none) == own_watch_state::armed)
        context_.watches.forget(path_of(who), who.id, own_watch_kind());
}

void lock_queue::watch_own(ticket& who) {
    if (!context_.requests.connected() || who.watches_itself != own_watch_state::none)
        return;
    who.watches_itself = own_watch_state::asked;
    const auto id = who.id;
    const auto node = path_of(who);
    const bool by_data = own_watch_kind() == watch_kind::data;
    context_.requests.send(
        {.op = by_data ? operation::get : operation::get_children, .path = node, .watch = true},
        [this, id, node](const reply& answer) {
            const auto found = table_.find(id);
            if (!found || !found->has_node() || path_of(*found) != node)
                return;
            found->watches_itself = own_watch_state::none;
            if (found->is_changing()) // the end of the change sets the watch anew
                return;
            if (answer.code == zookeeper_code::no_node) // a read alone: the node may yet be there
                return on_deleted_outside(*found, evidence::read);
            if (refused(answer.code))
                return watch_own_later(*found, lease_plan::asked_again(context_.lease.timeout()));
            if (answer.code != zookeeper_code::ok)
                return;
            // A newer node has the name, so the ticket's own is certainly gone.
            if (found->czxid != 0 && answer.stat.czxid > found->czxid)
                return on_deleted_outside(*found);
            found->watches_itself = own_watch_state::armed;
            found->unseen = false;
            if (found->czxid == 0) // a downgrade made the node, and its answer had no czxid
                found->czxid = answer.stat.czxid;
            context_.watches.add(node, id, own_watch_kind());
        });
}

// on_watch() has ignored the node's events since the transaction was sent, and one of them may have
// spent the watch.
void lock_queue::on_not_taken(ticket& who) {
    who.change.enter(own_change::none);
    if (who.watches_itself == own_watch_state::none)
        watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
}

} // namespace turnstile::protocol
