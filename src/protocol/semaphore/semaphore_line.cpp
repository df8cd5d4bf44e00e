// SPDX-License-Identifier: BSL-1.0
// A semaphore's acquires that stand in the queue, and permits with the end of a ticket.
#include "protocol/queue/lock_queue.hpp"
#include "protocol/semaphore/semaphore.hpp"

namespace turnstile::protocol {

ticket* semaphore::ticket_of(const acquire& who) const {
    return family_.queues.tickets().find(who.place);
}

// ---- in the queue ----

void semaphore::stand_in_line(acquire& who) {
    who.phase.enter(phase::in_line);
    who.bound.reset();
    auto& queue = family_.queues.at(queue_path_, lock_queue::purpose::part);
    queue.expect_incarnation(limit_.known()->incarnation);
    acquires_.put_in_line(who, (ticket_id{1} << 62) + ++family_.places); // above all callers' ids
    auto& ticket = queue.add(who.place);
    ticket.taker = this;
    ticket.options = {.wait = who.wish.patient, .later_part = who.wish.later_part};
    ticket.mark = who.mark;
    ticket.started = who.started;
    queue.enter(ticket);
    limit_.watch();
}

// Permits that the acquire may have taken have no owner from here on: a sweep deletes them (S6).
void semaphore::leave_line(acquire& who) {
    if (const auto ticket = family_.queues.tickets().find(acquires_.take_out_of_line(who))) {
        ticket->change.enter(own_change::none);
        ticket->where.cancel(*ticket, failure::cancelled); // on_line_failed() finds no acquire
    }
    if (!who.unknown_takes.empty())
        listing_.on_lost_answer();
}

void semaphore::give_up(acquire& who) {
    leave_line(who);
    fail(who, failure::cancelled);
}

void semaphore::on_line_failed(ticket_id ticket, failure why, zookeeper_code code) {
    const auto who = acquires_.at(ticket);
    if (!who)
        return;
    acquires_.take_out_of_line(*who);
    if (who->phase == phase::taking || !who->unknown_takes.empty())
        listing_.on_lost_answer(); // permits that it may have taken have no owner
    // The queue's node is missing: perhaps the semaphore was removed.
    if (why == failure::path_unstable && code == zookeeper_code::no_node && !who->abandoned) {
        limit_.doubt();
        who->phase.enter(phase::starting);
        count_start(*who);
    } else {
        fail(*who, why, code);
    }
    start_all();
}

void semaphore::on_place_lost(ticket_id ticket) {
    const auto who = acquires_.at(ticket);
    if (!who)
        return;
    if (who->phase == phase::taking)
        who->unknown_takes.insert(who->attempt);
    if (who->abandoned)
        return give_up(*who);
    who->phase.enter(phase::in_line);
    who->bound.reset();
    if (!who->unknown_takes.empty())
        listing_.on_lost_answer(); // its transaction may have deleted the ticket, and made permits
}

void semaphore::on_first(ticket_id ticket) {
    const auto who = acquires_.at(ticket);
    if (!who || who->phase == phase::taking)
        return;
    who->phase.enter(phase::first);
    ticket_of(*who)->change.enter(own_change::none);
    listing_.look();
}

void semaphore::on_permits(const reply& answer) {
    auto& who = *acquires_.first();
    if (answer.code == zookeeper_code::throttled)
        return go_on_later();
    if (answer.code == zookeeper_code::no_node)
        return limit_.doubt();
    if (answer.code != zookeeper_code::ok)
        return cancel(who.id, failure_of_read(answer.code), answer.code);
    if (!limit_.known())
        return limit_.read();
    if (!who.bound)
        who.bound = answer.stat.next_sequence();
    if (answer.stat.czxid != limit_.known()->incarnation) { // the semaphore was made anew
        limit_.forget();
        if (count_start(who))
            limit_.read();
        return;
    }
    // The limit may be lower by now, or the semaphore was made anew.
    if (apply_limit(who) != limit_result::allowed)
        return;
    if (listing_.count(answer.children, *who.bound) + who.wish.permits <= limit_.known()->permits)
        return take_permits(who);
    if (std::exchange(who.looks_for_strays, false) || listing_.may_look_for_strays())
        return listing_.look_for_strays(answer.children);
    if (!who.wish.patient)
        cancel(who.id, failure::would_block);
}

// ---- permits with the end of the ticket (S2) ----

// The transaction fails if the ticket is gone, so no acquire of the queue takes permits without
// one.
void semaphore::take_permits(acquire& who) {
    const auto ticket = ticket_of(who);
    if (!ticket || !ticket->has_node())
        return; // the ticket has lost its place, and on_place_lost() reports that
    ticket->change.enter(own_change::taking);
    const auto node = ticket->where.path_of(*ticket);
    // The set's stat has the number of the transaction. A set of the ticket also wakes the next in
    // the queue by CHANGED. If this session may not write tickets, the deletion wakes it (S2).
    make_permits(who, phase::taking,
                 sets_tickets_
                     ? transaction_step{.what = step_kind::set, .path = node, .data = "taken\n"}
                     : transaction_step{.what = step_kind::set, .path = queue_path_},
                 {.what = step_kind::remove, .path = node});
}

void semaphore::on_taken(acquire& who, const reply& answer) {
    if (answer.code != zookeeper_code::ok)
        return on_not_taken(who, answer);
    const auto id = who.id;
    who.phase.enter(phase::confirming);
    const auto place = acquires_.take_out_of_line(who);
    const bool is_kept = take_over_permits(who, answer, set_ticket);
    if (const auto ticket = family_.queues.tickets().find(place))
        ticket->where.leave_with_transaction(*ticket); // a ticket of this session may be next
    if (const auto still = acquires_.find(id); still && is_kept)
        confirm(*still);
    start_all();
}

void semaphore::on_not_taken(acquire& who, const reply& answer) {
    const auto ticket = ticket_of(who);
    if (outcome_unknown(answer.code)) {
        who.phase.enter(phase::unresolved);
        who.unknown_takes.insert(who.attempt);
        if (who.abandoned)
            give_up(who);
        return listing_.on_lost_answer();
    }
    if (ticket)
        ticket->where.on_not_taken(*ticket);
    who.phase.enter(phase::first);
    if (who.abandoned) {
        give_up(who);
        return start_all();
    }
    const auto step = failed_step(answer);
    const bool may_not_set = answer.code == zookeeper_code::no_auth && step == set_ticket;
    const bool is_of_ticket = step == remove_ticket || (step == set_ticket && sets_tickets_);
    if (may_not_set && sets_tickets_) {
        sets_tickets_ = false; // the server has another digestAlg (S2)
        take_permits(who);
    } else if (answer.code == zookeeper_code::no_node && is_of_ticket) {
        if (ticket) // it is gone
            ticket->where.on_deleted_outside(*ticket);
    } else {
        on_refused(who, answer);
    }
}

} // namespace turnstile::protocol
