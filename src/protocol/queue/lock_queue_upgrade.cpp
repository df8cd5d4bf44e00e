// SPDX-License-Identifier: BSL-1.0
// From reader to writer, without letting go, where nobody else stands in line.
//
// An upgrade is multi(check(own ticket), set(lock path), create(exclusive ticket)). The check shows
// that the own ticket stands. So where the set finds one child, it is that one: nobody else holds
// the lock or waits for it, and the new ticket is the owner. Else it is taken back.
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace turnstile::protocol {

void lock_queue::upgrade(ticket& who, ticket_id caller, ticket_id writer,
                         const request_mark& request) {
    auto why = who.phase == ticket_phase::lost ? failure::lost_deadline
                                               : context_.rules.refusal_of_upgrade(who);
    if (why == failure::none && !context_.requests.connected())
        why = failure::would_block; // it waits for nothing, and so not for a connection
    if (why == failure::none && !context_.bytes.fits(cost_of_one(), true))
        why = failure::session_full;
    if (why != failure::none)
        return context_.events.on_upgraded(caller, why, zookeeper_code::ok, 0);
    who.wishes().upgrade_caller = caller;
    who.wishes().writer = writer;
    const upgrade_wish wish{.reader = who.id, .writer = writer, .request = request};
    if (!context_.rules.asks_before_upgrade())
        return send_upgrade(who, wish);
    ask_for_upgrade(who, wish);
}

// By a write, since a server may show an older line to a read.
void lock_queue::ask_for_upgrade(const ticket& who, const upgrade_wish& wish) {
    context_.requests.send({.op = operation::transact,
                            .steps = {{.what = step_kind::check, .path = path_of(who)},
                                      {.what = step_kind::set, .path = path_}}},
                           [this, wish](const reply& answer) {
                               const auto found = find_reader(wish);
                               if (!found)
                                   return;
                               if (answer.code != zookeeper_code::ok)
                                   return refuse_upgrade(*found, answer);
                               if (context_.rules.stands_alone(answer.results[1].stat.children))
                                   return send_upgrade(*found, wish);
                               end_upgrade(*found, failure::would_block);
                           });
}

// Nobody waits by the new ticket: until the answer shows it to be the owner it counts as one whose
// caller has gone, and is deleted like that wherever it turns up.
void lock_queue::send_upgrade(ticket& who, const upgrade_wish& wish) {
    auto made = std::make_unique<ticket>(wish.writer, *this, context_.clock);
    auto& writer = *made;
    tickets_.insert(std::move(made));
    context_.tickets.emplace(writer.id, &writer);
    take_bytes(writer);
    writer.abandoned = true;
    writer.request = wish.request;
    writer.started = context_.now();
    writer.phase.take(ticket_step::sent_create);
    writer.name = {.incarnation = who.name.incarnation, // the check shows that it is still this
                   .guarded = context_.options.guarded,
                   .naming = naming_};
    writer.floor = directory_.highest();
    std::vector<transaction_step> steps;
    if (context_.rules.checks_reader())
        steps.push_back({.what = step_kind::check, .path = path_of(who)});
    steps.push_back({.what = step_kind::set, .path = path_});
    steps.push_back({.what = step_kind::create_sequential,
                     .path = writer.name.prefix_under(path_),
                     .data = data_of(writer)});
    context_.requests.send({.op = operation::transact, .steps = std::move(steps)},
                           [this, wish](const reply& answer) {
                               if (const auto found = context_.find(wish.writer))
                                   on_upgrade(wish, *found, answer);
                           });
}

/// Null where it does not hold the lock any more, or is not to be upgraded any more.
ticket* lock_queue::find_reader(const upgrade_wish& wish) const {
    const auto found = context_.find(wish.reader);
    return found && found->writer() == wish.writer ? found : nullptr;
}

void lock_queue::on_upgrade(const upgrade_wish& wish, ticket& writer, const reply& answer) {
    const auto who = find_reader(wish);
    if (answer.code != zookeeper_code::ok) {
        if (outcome_unknown(answer.code)) {
            writer.phase.take(ticket_step::lost_answer); // looked for, and deleted
        } else {
            writer.phase.take(ticket_step::was_refused);
            erase(writer);
        }
        if (who)
            refuse_upgrade(*who, answer);
        return;
    }
    const auto& of_path = answer.results[answer.results.size() - 2].stat;
    const auto sequence = appended_sequence(answer.results.back().path);
    const bool has_room = sequence >= 0 && sequence < sequence_limit;
    if (who && has_room && context_.rules.is_alone_on_ticket(*who) &&
        context_.rules.stands_alone(of_path.children)) {
        writer.czxid = of_path.mzxid;
        writer.name.sequence = sequence;
        return be_writer(*who, writer);
    }
    if (context_.rules.deletes_refused_writer())
        settle(writer, of_path.mzxid, sequence); // which takes it back
    else
        erase(writer);
    if (who)
        end_upgrade(*who, has_room ? failure::would_block : failure::sequence_exhausted);
}

void lock_queue::refuse_upgrade(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code) && context_.rules.takes_unknown_for_upgraded()) {
        return context_.events.on_upgraded(who.end_upgrade(), failure::none, ok, who.czxid);
    }
    if (outcome_unknown(answer.code))
        return end_upgrade(who, failure::would_block);
    if (answer.code == no_node) // the own ticket's: another hand has deleted it
        return on_deleted_outside(who);
    if (answer.code == node_exists) // the server's counter sticks at its end
        return end_upgrade(who, failure::sequence_exhausted);
    if (answer.code != no_auth)
        return end_upgrade(who, failure::server_error, answer.code);
    constexpr std::array denied{failure::read_denied, failure::write_denied,
                                failure::create_denied};
    const auto step = std::find_if(answer.results.begin(), answer.results.end(),
                                   [](const auto& each) { return each.code == no_auth; });
    const auto place = static_cast<std::size_t>(step - answer.results.begin());
    end_upgrade(who, denied[std::min(place, denied.size() - 1)], answer.code);
}

// What comes from here on stands behind the new ticket. The old one goes first, so that no release
// of the new one leaves it behind.
void lock_queue::be_writer(ticket& who, ticket& writer) {
    forget_own_watch(who);
    standing_.erase(&who);
    const auto reader = who.czxid;
    --placed_;
    const auto cost = std::exchange(who.cost, std::exchange(writer.cost, 0));
    if (context_.rules.deletes_reader())
        leaving_.add({.name = who.name, .czxid = who.czxid, .cost = cost});
    who.kind = ticket_kind::exclusive;
    who.name = writer.name;
    who.czxid = writer.czxid;
    who.request = writer.request;
    who.unseen = false;
    who.crowded = false;
    standing_.insert(&who);
    directory_.seen(who.name.sequence);
    erase(writer);
    watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
    const auto token = context_.rules.upgrade_keeps_token() ? reader : context_.rules.token_of(who);
    context_.events.on_upgraded(who.end_upgrade(), failure::none, zookeeper_code::ok, token);
}

void lock_queue::end_upgrade(ticket& who, failure why, zookeeper_code code) {
    if (const auto caller = who.end_upgrade())
        context_.events.on_upgraded(caller, why, code, 0);
}

void lock_queue::end_changes(ticket& who, failure why) {
    end_downgrade(who, why);
    end_upgrade(who, why);
}

} // namespace turnstile::protocol
