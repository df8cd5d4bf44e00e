// SPDX-License-Identifier: BSL-1.0
// Make a ticket, and learn from the same transaction whether it stands alone.
//
// An enqueue is multi(set_data(lock path), create(ticket)). The set's stat is the lock path's right
// before the create: its czxid is the incarnation, its numChildren says who stands there, and its
// mzxid is the transaction, thus the ticket's czxid. The design's create2 with a pipelined exists
// told the same with a request more, and that request was a quarter of an uncontended acquire.
#include "protocol/queue/line_taker.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

namespace {

// Enqueues in a row of one acquire before the lock path counts as unstable.
constexpr std::size_t most_tries = 64;

} // namespace

std::string lock_queue::data_of(const ticket& who) const {
    return context_.options.who.str(who.request.str());
}

void lock_queue::place(ticket& who) {
    who.phase.take(ticket_step::may_enter);
    if (!context_.rules.makes_again(who.in_company))
        return cancel(who, failure::taken_back);
    if (!context_.requests.connected())
        return;
    if (undeletable_.stand() && context_.rules.retries_undeletable())
        return retry_undeletable();
    if (undeletable_.open())
        return; // placed, or refused, when they are answered
    if (!directory_.incarnation())
        return directory_.find();
    // Each ticket is made in the incarnation that is asked for here.
    if (context_.rules.is_renewed(who.wanted, *directory_.incarnation()))
        return cancel(who, failure::path_renewed);
    if (!context_.enqueues.may_send(who.id))
        return context_.enqueues.wait(who.id);
    if (++who.tries > most_tries)
        return cancel(who, failure::path_unstable);
    begin_create(who);
    context_.enqueues.sent();
    const auto id = who.id;
    const auto epoch = who.epoch;
    auto& what = context_.requests.draft(operation::enqueue);
    who.name.write_prefix_under(path_, what.path);
    context_.options.who.write(who.request.str(), what.data);
    context_.requests.send(what, [this, id, epoch](const reply& answer) {
        context_.enqueues.answered();
        if (const auto found = context_.find(id, epoch))
            on_created(*found, answer);
    });
}

void lock_queue::begin_create(ticket& who) {
    who.phase.take(ticket_step::sent_create);
    who.name = {.incarnation = context_.rules.incarnation_in_name(*directory_.incarnation()),
                .guarded = context_.options.guarded,
                .kind = who.kind,
                .naming = naming_};
    who.floor = directory_.highest();
    ++who.epoch;
}

void lock_queue::place_next(machine_context& shared) {
    while (const auto id = shared.enqueues.next())
        if (const auto who = shared.find(*id); who && who->phase == ticket_phase::unplaced)
            who->where.place(*who);
}

void lock_queue::place_unplaced() {
    std::vector<ticket*> waiting;
    for (const auto& who : tickets_)
        if (who->phase == ticket_phase::unplaced)
            waiting.push_back(who.get());
    for (const auto who : waiting)
        place(*who);
}

void lock_queue::fail_unplaced(failure why, zookeeper_code code) {
    std::vector<ticket*> waiting;
    for (const auto& who : tickets_)
        if (who->phase == ticket_phase::unplaced)
            waiting.push_back(who.get());
    for (const auto who : waiting)
        cancel(*who, why, code);
}

void lock_queue::on_created(ticket& who, const reply& answer) {
    if (outcome_unknown(answer.code)) {
        who.phase.take(context_.rules.step_of_unknown_create());
        return;
    }
    using enum zookeeper_code;
    if (answer.code == ok)
        return on_enqueued(who, answer);
    who.phase.take(ticket_step::was_refused);
    if (who.abandoned)
        return erase(who);
    if (context_.rules.makes_path_again(answer.code)) { // reaped, or deleted by somebody
        directory_.vanished();
        return place(who);
    }
    switch (answer.code) {
    case no_auth:
        return cancel(who, answer.set_denied ? failure::write_denied : failure::create_denied,
                      answer.code);
    case node_exists: // the server's counter sticks at its end, where somebody's ticket stands
        cancel(who, failure::sequence_exhausted);
        directory_.seen(sequence_limit);
        return directory_.restart_counter();
    default:
        return cancel(who, failure::server_error, answer.code);
    }
}

void lock_queue::on_enqueued(ticket& who, const reply& answer) {
    const auto id = who.id;
    learn_incarnation(answer.stat.czxid);
    const auto sequence = appended_sequence(answer.path);
    if (context_.rules.forgets_numbers(directory_.has_gone_back(sequence))) {
        context_.events.on_note(note_level::error,
                                "the servers have lost transactions: a number was given again: " +
                                    answer.path);
        directory_.forget_numbers();
    }
    settle(who, answer.stat.mzxid, sequence);
    if (!context_.find(id) || who.phase != ticket_phase::finding_predecessor)
        return; // abandoned, or refused
    if (!context_.rules.fits_path(who.name, answer.stat.czxid))
        return leave_wrong_incarnation(who);
    who.tries = 0;
    if (answer.stat.children > 0 && who.taker)
        who.taker->on_queued(id, answer.stat.children);
    else if (answer.stat.children > 0)
        context_.events.on_queued(id, answer.stat.children);
    order_->on_enqueued(who, answer.stat.children);
}

// Each ticket's name was checked against the path in the transaction that made it. If the path is
// another now, the old one was deleted, and with it all that stood there.
void lock_queue::learn_incarnation(std::int64_t incarnation) {
    directory_.found(incarnation);
    if (std::exchange(looked_for_, incarnation) == incarnation)
        return; // each that came since was checked when it came
    remove_vanished(
        [&](const ticket& other) { return !context_.rules.fits_path(other.name, incarnation); },
        evidence::certain);
}

std::vector<ticket_id> lock_queue::unresolved() const {
    std::vector<ticket_id> result;
    for (const auto& who : tickets_)
        if (who->phase == ticket_phase::unresolved)
            result.push_back(who->id);
    return result;
}

void lock_queue::adopt(ticket& who, const ticket_name& name, std::int64_t czxid,
                       std::int64_t incarnation) {
    const auto id = who.id;
    who.name = name;
    ++who.epoch;
    settle(who, czxid, name.sequence);
    const auto still = context_.find(id);
    if (!still || still->phase != ticket_phase::finding_predecessor)
        return; // an abandoned ticket has left by now
    if (!context_.rules.fits_path(still->name, incarnation))
        return leave_wrong_incarnation(*still);
    still->tries = 0;
    order_->search(*still);
}

void lock_queue::create_failed(ticket& who) {
    if (who.abandoned)
        erase(who);
    else
        place(who);
}

void lock_queue::leave_wrong_incarnation(ticket& who) {
    // The path was made anew meanwhile: a name with the old incarnation may not stay.
    leave(who);
    restart(who);
}

void lock_queue::settle(ticket& who, std::int64_t czxid, std::int32_t sequence) {
    who.name.sequence = sequence;
    who.czxid = czxid;
    who.unseen = false;
    who.phase.take(ticket_step::has_node);
    directory_.seen(sequence < 0 ? sequence_limit : sequence);
    if (who.abandoned) {
        if (context_.rules.deletes_late_ticket())
            delete_ticket(who, delete_form::plain, 0);
        return erase(who);
    }
    if (const auto [there, alone] = standing_.insert(&who); !alone) {
        standing_.erase(there); // of two with one number the newer one stands
        standing_.insert(&who);
    }
    if (sequence < 0 || sequence >= sequence_limit) {
        cancel(who, failure::sequence_exhausted);
        // In the same flight as the ticket's deletion: whoever tries again at once comes behind it.
        return directory_.restart_counter();
    }
    watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
}

void lock_queue::restart(ticket& who) {
    order_->forget(who);
    forget_own_watch(who);
    who.phase.take(ticket_step::lost_node);
    ++who.epoch;
    who.taking = false;
    const auto id = who.id;
    if (who.taker)
        who.taker->on_place_lost(id);
    if (!context_.find(id))
        return;        // nobody wanted it any more
    if (who.cost == 0) // its bytes left with the old node
        take_bytes(who);
    place(who);
}

} // namespace turnstile::protocol
