// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/ticket_enqueues.hpp"

#include "protocol/lease/lease_plan.hpp"
#include "protocol/queue/lock_queue.hpp"

namespace turnstile::protocol {

namespace {

// After this many enqueues of one acquire in a row the lock path counts as unstable.
constexpr std::size_t most_enqueues = 64;

} // namespace

void ticket_enqueues::send(ticket& who) {
    who.phase.enter(ticket_phase::unplaced);
    if (who.options.in_batch) // it is made only once (T3)
        return queue_.cancel(who, failure::taken_back);
    if (!context_.requests.connected())
        return;
    const auto& incarnation = queue_.directory().incarnation();
    if (!incarnation)
        return queue_.directory().find();
    // A part of a multi_lock is made in the incarnation that its key names, and in no other (M4).
    if (who.options.incarnation != 0 && who.options.incarnation != *incarnation)
        return queue_.cancel(who, failure::path_renewed);
    if (!table_.window.may_send(who))
        return table_.window.wait(who);
    if (++who.tries > most_enqueues)
        return queue_.cancel(who, failure::path_unstable);
    begin(who, *incarnation);
    table_.window.sent();
    const request what{.op = operation::enqueue,
                       .path = who.name.prefix_under(queue_.path()),
                       .data = data_of(who)};
    context_.requests.send(what, [this, id = who.id, epoch = who.epoch](const reply& answer) {
        table_.window.answered();
        if (const auto found = table_.find(id, epoch))
            on_answer(*found, answer);
    });
}

void ticket_enqueues::begin(ticket& who, std::int64_t incarnation) {
    who.phase.enter(ticket_phase::creating);
    who.name = {.incarnation = incarnation,
                .is_protected = context_.options.protects_tickets,
                .kind = who.kind,
                .naming = queue_.naming()};
    who.floor = queue_.directory().highest();
    ++who.epoch;
}

std::string ticket_enqueues::data_of(const ticket& who) const {
    return context_.options.who.str(who.mark.str(), who.value);
}

void ticket_enqueues::send_all() {
    for (const auto id : tickets_.ids_in(ticket_phase::unplaced))
        if (const auto who = table_.find(id))
            send(*who);
}

void ticket_enqueues::fail_all(failure why, zookeeper_code code) {
    for (const auto id : tickets_.ids_in(ticket_phase::unplaced))
        if (const auto who = table_.find(id))
            queue_.cancel(*who, why, code);
}

void ticket_enqueues::send_next(ticket_table& table) {
    while (const auto id = table.window.next())
        if (const auto who = table.find(*id); who && who->phase == ticket_phase::unplaced)
            who->where.enqueues().send(*who);
}

void ticket_enqueues::on_answer(ticket& who, const reply& answer) {
    if (outcome_unknown(answer.code)) {
        who.phase.enter(ticket_phase::unresolved); // recovery looks for it before a new try (A5)
        return;
    }
    if (answer.code == zookeeper_code::ok)
        return on_enqueued(who, answer);
    who.phase.enter(ticket_phase::unplaced);
    if (who.abandoned)
        return queue_.erase(who);
    on_refused(who, answer);
}

void ticket_enqueues::on_refused(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    auto& directory = queue_.directory();
    switch (answer.code) {
    case no_node: // the server or another program deleted the path
        directory.on_vanished();
        return send(who);
    case no_auth:
        return queue_.cancel(
            who, answer.first_step_denied ? failure::write_denied : failure::create_denied,
            answer.code);
    case node_exists: // the server's counter sticks at its end, if another ticket stands there
        queue_.cancel(who, failure::sequence_exhausted);
        directory.note_seen(sequence_limit);
        return directory.restart_counter();
    case throttled:
        if (who.options.in_batch)
            return send(who); // which takes it back: each acquire is then tried alone
        --who.tries;
        return context_.ask_later(again_, [this] { send_all(); });
    default:
        return queue_.cancel(who, failure::server_error, answer.code);
    }
}

void ticket_enqueues::on_enqueued(ticket& who, const reply& answer) {
    const auto id = who.id;
    queue_.learn_incarnation(answer.stat.czxid);
    const auto sequence = appended_sequence(answer.path);
    check_number(answer.path, sequence);
    on_made(who, answer.stat.mzxid, sequence);
    if (!table_.find(id) || who.phase != ticket_phase::finding_predecessor)
        return; // abandoned, or refused
    if (who.name.incarnation != answer.stat.czxid)
        return leave_wrong_incarnation(who);
    const auto children = answer.stat.children;
    who.tries = 0;
    who.ahead = children;
    tickets_.note_children(children);
    if (children > 0 && who.taker)
        who.taker->on_queued(id, children);
    else if (children > 0)
        context_.lock_events.on_queued(id, children);
    order_.on_enqueued(who, children);
}

void ticket_enqueues::check_number(const std::string& node, std::int32_t sequence) {
    if (!queue_.directory().has_gone_back(sequence))
        return;
    context_.events.on_note(
        log_level::error, "the servers have lost transactions: a number was given again: " + node);
    queue_.directory().forget_numbers();
    // The tickets at this number and above are gone: else it would not be given again.
    queue_.remove_vanished([&](const ticket& other) { return other.name.sequence >= sequence; },
                           lock_queue::evidence::certain);
}

void ticket_enqueues::on_made(ticket& who, std::int64_t czxid, std::int32_t sequence) {
    who.name.sequence = sequence;
    who.czxid = czxid;
    who.unseen = false;
    who.phase.enter(ticket_phase::finding_predecessor);
    queue_.directory().note_seen(sequence < 0 ? sequence_limit : sequence);
    if (who.abandoned) {
        queue_.delete_node(who, delete_form::plain);
        return queue_.erase(who);
    }
    tickets_.stand(who);
    if (sequence < 0 || sequence >= sequence_limit) {
        queue_.cancel(who, failure::sequence_exhausted);
        // This goes right behind the ticket's deletion, so a new try comes behind both.
        return queue_.directory().restart_counter();
    }
    queue_.watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
}

void ticket_enqueues::adopt(ticket& who, const ticket_name& name, std::int64_t czxid,
                            std::int64_t incarnation) {
    const auto id = who.id;
    who.name = name;
    ++who.epoch;
    on_made(who, czxid, name.sequence);
    const auto still = table_.find(id);
    if (!still || still->phase != ticket_phase::finding_predecessor)
        return; // an abandoned ticket has left by now
    if (still->name.incarnation != incarnation)
        return leave_wrong_incarnation(*still);
    still->tries = 0;
    order_.search(*still);
}

void ticket_enqueues::on_not_made(ticket& who) {
    if (who.abandoned)
        queue_.erase(who);
    else
        send(who);
}

void ticket_enqueues::leave_wrong_incarnation(ticket& who) {
    // The path was made anew meanwhile. A name with the old incarnation may not stay.
    queue_.give_up_place(who);
    restart(who);
}

void ticket_enqueues::restart(ticket& who) {
    order_.forget(who);
    queue_.forget_own_watch(who);
    who.phase.enter(ticket_phase::unplaced);
    ++who.epoch;
    who.change.enter(own_change::none);
    const auto id = who.id;
    if (who.taker)
        who.taker->on_place_lost(id);
    if (!table_.find(id))
        return;            // it was cancelled
    if (who.bytes.empty()) // the deletion of the old node has them
        queue_.bytes().charge(who);
    send(who);
}

// If this session has tickets here, or nodes that it may not delete, the acquire waits behind them.
bool ticket_enqueues::may_enter_in_batch(std::int64_t wanted) const {
    return context_.requests.connected() && tickets_.empty() &&
           !queue_.leaving().has_undeletable() && queue_.directory().incarnation() == wanted &&
           context_.bytes.fits(queue_.bytes().cost_of_one(), true);
}

void ticket_enqueues::enter_in_batch(ticket& who, std::vector<transaction_step>& steps) {
    queue_.bytes().charge(who);
    who.phase.enter(ticket_phase::unplaced);
    begin(who, *queue_.directory().incarnation());
    who.options.in_batch = true;
    steps.push_back({.what = step_kind::set, .path = queue_.path()});
    steps.push_back({.what = step_kind::create_sequential,
                     .path = who.name.prefix_under(queue_.path()),
                     .data = data_of(who)});
}

bool ticket_enqueues::on_batch_answered(ticket& who, const reply& answer, bool keeps) {
    const auto id = who.id;
    if (!keeps)
        queue_.cancel(who, failure::taken_back); // before it searches its predecessor
    on_answer(who, answer);
    const auto still = table_.find(id);
    return still && still->phase >= ticket_phase::confirming;
}

void ticket_enqueues::on_other_ticket_refused(ticket& who) {
    who.phase.enter(ticket_phase::unplaced);
    if (who.abandoned)
        return queue_.erase(who);
    queue_.cancel(who, failure::taken_back);
}

} // namespace turnstile::protocol
