// SPDX-License-Identifier: BSL-1.0
// First in line: look at the leases, and take them in the transaction that ends the ticket.
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

semaphore::acquire* semaphore::first() const {
    const auto who = first_ ? find(*first_) : nullptr;
    return who && who->now == stage::first ? who : nullptr;
}

void semaphore::on_first(ticket_id place) {
    const auto who = standing_at(place);
    if (!who || who->now == stage::taking || who->now == stage::trying_first)
        return;
    who->now = stage::first;
    who->counted.reset();
    family_.queues.tickets().find(place)->change = own_change::none;
    first_ = who->id;
    look();
}

void semaphore::look() {
    if (!first() || !context_.requests.connected())
        return;
    if (!limit_)
        return learn(); // comes back here
    if (looking_) {
        look_wanted_ = true;
        return;
    }
    looking_ = true;
    look_wanted_ = false;
    send({.op = operation::get_children, .path = leases_path_, .watch = rules_.watches_leases()},
         [this, epoch = epoch_](const reply& answer) {
             if (epoch != epoch_ || outcome_unknown(answer.code))
                 return;
             looking_ = false;
             on_leases(answer);
         });
}

void semaphore::read_again() {
    if (!limit_watched_ && !leases_watched_)
        return;
    forget_watches();
    learn();
    look();
}

void semaphore::look_later() {
    again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()), [this] {
        if (sweep_due_)
            sweep();
        start_all();
        if (anybody_in_line() && rules_.watches_limit())
            learn(); // also for those whom it is to refuse
        look();
    });
}

void semaphore::on_leases(const reply& answer) {
    if (answer.code == zookeeper_code::ok && rules_.watches_leases() &&
        !std::exchange(leases_watched_, true))
        context_.watches.add(leases_path_, watcher_, watch_kind::children);
    const auto who = first();
    if (!who)
        return;
    if (look_wanted_)
        return look(); // asked before the ticket was first, or before the last change
    if (answer.code == zookeeper_code::throttled)
        return look_later();
    if (answer.code == zookeeper_code::no_node)
        return miss_part();
    if (answer.code != zookeeper_code::ok)
        return cancel(who->id, failure_of_read(answer.code), answer.code);
    if (!limit_)
        return learn();
    if (!who->bound)
        who->bound = answer.stat.next_sequence();
    const auto taken = std::ranges::count_if(answer.children, [&](const std::string& child) {
        const auto name = lease_name::parse(child);
        return name && !strays_.contains(child) && rules_.counts(*name, *who->bound);
    });
    if (!rules_.is_of_limit(answer.stat.czxid, limit_->incarnation)) {
        doubt_limit();
        return learn();
    }
    // The limit may have sunk while leases were being taken, or the semaphore was made anew.
    if (refuse(*who))
        return;
    who->counted = taken;
    if (rules_.fits(taken, who->count, limit_->value))
        return take_leases(*who);
    if (std::exchange(who->looks_for_strays, false) || may_look_for_strays())
        return look_for_strays(answer.children);
    if (!who->patient)
        cancel(who->id, failure::would_block);
}

// A node that goes with no session was made by another hand: it is no lease, whatever its name.
// Each lease would cost a question, so they are asked about once in a while, and only where too few
// are free. Names are never used again, so what is a stray stays one.
void semaphore::look_for_strays(const std::vector<std::string>& leases) {
    strays_due_ = context_.now() + lease_plan::asked_again(context_.lease.timeout());
    for (const auto& child : leases)
        if (lease_name::parse(child) && !strays_.contains(child))
            send({.op = operation::exists, .path = lease_path(child)},
                 [this, child](const reply& answer) {
                     if (answer.code == zookeeper_code::ok && answer.stat.ephemeral_owner == 0)
                         strays_.insert(child);
                 });
    look(); // answered behind all of these
}

void semaphore::take_leases(acquire& who) {
    const auto place = family_.queues.tickets().find(who.place);
    if (!place || !place->has_node())
        return; // on its way to being told
    who.now = stage::taking;
    who.attempt = ++family_.attempts;
    place->change = own_change::taking;
    const auto node = place->where.path_of(*place);
    request what{.op = operation::transact, .path = path_};
    what.steps = {{.what = step_kind::check,
                   .path = limit_path_,
                   .version = rules_.version_to_check(limit_->version)}};
    // The set's stat tells the transaction. On the ticket it also tells the next in line; where
    // nobody may write tickets, the deletion does.
    if (rules_.takes_with_ticket() && sets_tickets_)
        what.steps.push_back({.what = step_kind::set, .path = node, .data = "taken\n"});
    else
        what.steps.push_back({.what = step_kind::set, .path = queue_path_});
    if (rules_.takes_with_ticket())
        what.steps.push_back({.what = step_kind::remove, .path = node});
    add_leases(who, false, what.steps);
    send(what, [this, id = who.id, set_ticket = sets_tickets_](const reply& answer) {
        on_taken(id, answer, set_ticket);
    });
}

void semaphore::on_taken(ticket_id id, const reply& answer, bool set_ticket) {
    const auto who = find(id);
    if (!who || who->now != stage::taking)
        return; // the session is over
    if (answer.code != zookeeper_code::ok)
        return on_not_taken(*who, answer, set_ticket);
    take_over(*who, answer, answer.results.size() - who->count, answer.results[1].stat.mzxid);
    first_.reset();
    who->now = stage::confirming;
    who->tries = 0;
    const auto place = family_.queues.tickets().find(who->place);
    if (!rules_.takes_with_ticket()) {
        leave_line(*who);
    } else if (place) {
        places_.erase(std::exchange(who->place, 0));
        place->where.leave_with_transaction(*place); // and the next of this session may be first
    }
    const auto still = find(id);
    if (!still)
        return;
    if (still->abandoned) {
        drop_leases(*still, 0);
        erase(id);
    } else if (is_exhausted(*still)) {
        drop_leases(*still, 0);
        fail(*still, failure::sequence_exhausted);
    } else {
        confirm(*still);
    }
    start_all();
}

void semaphore::on_not_taken(acquire& who, const reply& answer, bool set_ticket) {
    const auto id = who.id;
    const auto place = family_.queues.tickets().find(who.place);
    if (outcome_unknown(answer.code)) {
        who.now = stage::unresolved;
        who.unknown_takes.insert(who.attempt);
        if (who.abandoned) { // what it took is nobody's
            leave_line(who);
            erase(id);
        }
        return sweep_on_next_connection();
    }
    if (place)
        place->where.stays(*place);
    who.now = stage::first;
    if (who.abandoned) {
        const bool unknown = !who.unknown_takes.empty();
        leave_line(who);
        erase(id);
        if (unknown)
            sweep_soon();
        return start_all();
    }
    using enum zookeeper_code;
    if (leaving_.denied()) // it was told while the transaction was under way
        return cancel(id, failure::release_denied, no_auth);
    const auto failed = std::ranges::find_if(
        answer.results, [](const step_result& each) { return each.code != ok; });
    const auto step = failed - answer.results.begin();
    switch (answer.code) {
    case bad_version:
        limit_.reset();
        return learn();
    case no_node:
        if (step == 2 || (step == 1 && set_ticket)) { // the ticket
            if (place)
                place->where.on_deleted_outside(*place);
            return;
        }
        return miss_part();
    case throttled:
        return look_later();
    case no_auth:
        if (step == 1 && set_ticket) { // the server knows the tickets' identity by another digest
            sets_tickets_ = false;
            return take_leases(who);
        }
        return cancel(id,
                      step == 0   ? failure::read_denied
                      : step == 1 ? failure::write_denied
                      : step == 2 ? failure::release_denied
                                  : failure::create_denied,
                      answer.code);
    case node_exists: // the server's counter sticks at its end
        highest_ = sequence_limit;
        cancel(id, failure::sequence_exhausted);
        return restart_numbers();
    default:
        return cancel(id, failure::server_error, answer.code);
    }
}

} // namespace turnstile::protocol
