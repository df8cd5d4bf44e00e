// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>

namespace turnstile::protocol {

namespace {

/// A writer with one handle becomes a reader: others would believe to hold to write.
failure refusal_of_downgrade(const ticket& who) {
    if (who.why_lost != failure::none)
        return who.why_lost;
    if (!who.exclusive() || who.wishes.downgrade_caller != 0)
        return failure::not_exclusive;
    if (!who.name.may_be_downgraded())
        return failure::names_forbid;
    return who.sharers.size() > 1 ? failure::not_alone : failure::none;
}

/// A reader alone on its ticket becomes a writer: others that share it hold to read.
failure refusal_of_upgrade(const ticket& who) {
    if (who.why_lost != failure::none)
        return who.why_lost;
    if (who.exclusive())
        return failure::not_shared;
    if (who.name.naming != ticket_naming::lock)
        return failure::names_forbid;
    return who.wishes.upgrade_caller != 0 || who.sharers.size() > 1 ? failure::would_block
                                                                    : failure::none;
}

} // namespace

void lock_queue::on_first_in_line(ticket& who) {
    order_.forget(who);
    who.phase.enter(ticket_phase::confirming);
    ++who.epoch;
    if (who.taker)
        return who.taker->on_first(who.id);
    if (context_.lease_is_fresh() && !who.unseen && !leaving_.is_unchecked(who.name))
        return grant(who);
    if (!context_.requests.connected())
        return; // searched again after the reconnect
    table_.ask_for(who, {.op = operation::check, .path = path_of(who)},
                   [this](ticket& first, const reply& answer) {
                       if (outcome_unknown(answer.code))
                           return;
                       if (answer.code == zookeeper_code::no_node)
                           return on_deleted_outside(first);
                       if (answered(answer.code) && context_.lease_is_fresh()) {
                           first.unseen = false;
                           return grant(first);
                       }
                       context_.prove_anew(answer.code, [&] { on_first_in_line(first); });
                   });
}

void lock_queue::grant(ticket& who) {
    who.phase.enter(ticket_phase::held);
    who.deadline.cancel();
    context_.held.insert(who.id);
    context_.tell_deadline();
    for (auto& each : who.sharers)
        each.acquire_deadline.cancel();
    ticket_table::for_each_caller(
        who, [&](ticket_id id, instant) { context_.events.on_granted(id, who.czxid); });
    order_.mark_clear(who);
    if (who.limit)
        who.limit->start(
            [this, &who] {
                ticket_table::for_each_caller(
                    who, [&](ticket_id id, instant) { context_.events.on_limit_near(id); });
            },
            [this, &who] { lose(who, failure::held_too_long); });
}

void lock_queue::lose(ticket& who, failure why) {
    context_.held.erase(who.id);
    who.phase.enter(ticket_phase::lost);
    who.why_lost = why;
    who.limit.reset();
    who.deadline.set(context_.end_of_place(why), [this, &who] {
        leave(who);
        erase(who);
    });
    ticket_table::for_each_caller(who,
                                  [&](ticket_id id, instant) { context_.events.on_lost(id, why); });
    end_changes(who, why);
}

void lock_queue::remove_vanished(const std::function<bool(const ticket&)>& is_vanished,
                                 evidence why) {
    std::vector<ticket_id> vanished;
    for (const auto& [sequence, who] : standing_)
        if (is_vanished(*who))
            vanished.push_back(who->id);
    for (const auto id : vanished) // all at once: none of them is another's neighbour any more
        standing_.erase(table_.find(id)->name.sequence);
    for (const auto id : vanished)
        if (const auto who = table_.find(id))
            on_deleted_outside(*who, why);
}

void lock_queue::on_deleted_outside(ticket& who, evidence why) {
    if (who.phase == ticket_phase::lost && find_standing(who.name))
        return; // its holder may believe in it until its place ends
    const auto successors = order_.local_successors(who);
    if (why == evidence::read)
        delete_ticket(who, delete_form::plain, 0);
    standing_.erase(who.name.sequence);
    if (who.phase == ticket_phase::lost) { // and its lock path was made anew
        erase(who);
    } else if (who.phase == ticket_phase::held) {
        context_.events.on_note(log_level::info,
                                "held ticket deleted from outside: " + path_of(who));
        end_hold(who, failure::ticket_deleted);
    } else {
        // Else the session may have expired, and that is told where it has.
        if (context_.lease.left(context_.now()) > duration::zero())
            context_.events.on_note(log_level::warning,
                                    "waiting ticket deleted from outside, enqueued again: " +
                                        path_of(who));
        restart(who);
    }
    for (const auto next : successors)
        order_.search(*next);
}

bool lock_queue::may_not_wait(ticket& who) {
    const bool crowded = std::exchange(who.in_reserve, false) && !context_.bytes.fits(0, true);
    if (who.options.wait && !crowded)
        return false;
    cancel(who, who.options.wait ? failure::session_full : failure::would_block);
    return true;
}

void lock_queue::on_watch(ticket& who, const std::string& node, watch_event event) {
    if (!who.has_node() || node != path_of(who))
        return order_.on_watch(who, node, event);
    who.watches_itself = own_watch_state::none;
    if (who.is_changing()) { // its answer tells what became of the node
        if (event == watch_event::deleted && who.phase == ticket_phase::held)
            await_downgrade(who);
        return;
    }
    if (event == watch_event::deleted)
        return on_deleted_outside(who);
    who.unseen = true; // its data was set, and until it is watched again it may go unheard
    watch_own(who);
}

void lock_queue::on_missed_event(ticket& who) {
    const auto node = who.before->path;
    context_.events.on_missed_event(node);
    context_.watches.remove(node, who.id);
    order_.on_watch(who, node, watch_event::deleted);
}

// Where the downgrade deleted the node, its answer comes right behind this event. Else an external
// actor did, and the downgrade may be held back on its way.
void lock_queue::await_downgrade(ticket& who) {
    const auto end = context_.now() + lease_plan::late_answer(context_.lease.timeout());
    who.own_watch.set(end, [this, &who] {
        if (who.phase == ticket_phase::held && who.is_downgrading())
            on_deleted_outside(who, evidence::read);
    });
    if (who.change == own_change::downgrade_unknown) // no answer is on its way
        ask_for_downgraded(who);
}

void lock_queue::watch_own_later(ticket& who, duration delay) {
    who.own_watch.set(context_.now() + delay, [this, &who] {
        if (who.has_node())
            watch_own(who);
    });
}

// Events of the node were not heeded meanwhile.
void lock_queue::stays(ticket& who) {
    who.change = own_change::none;
    if (who.watches_itself == own_watch_state::none)
        watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
}

void lock_queue::forget_own_watch(ticket& who) {
    who.own_watch.cancel();
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
            if (found->is_changing())
                return;
            if (answer.code == zookeeper_code::no_node)
                return on_deleted_outside(*found, evidence::read);
            if (refused(answer.code))
                return watch_own_later(*found, lease_plan::asked_again(context_.lease.timeout()));
            if (answer.code != zookeeper_code::ok)
                return;
            if (found->czxid != 0 && answer.stat.czxid > found->czxid)
                return on_deleted_outside(*found);
            found->watches_itself = own_watch_state::armed;
            found->unseen = false;
            if (found->czxid == 0) // of one that was downgraded
                found->czxid = answer.stat.czxid;
            context_.watches.add(node, id, own_watch_kind());
        });
}

// Tickets of several lock paths that are made in one transaction. Where this session has something
// under way, its own queue says who is next.
bool lock_queue::may_enter_in_batch(std::int64_t wanted) const {
    return context_.requests.connected() && tickets_.empty() && waiting_for_budget_.empty() &&
           !leaving_.has_undeletable() && directory_.incarnation() == wanted &&
           context_.bytes.fits(cost_of_one(), true);
}

void lock_queue::enter_in_batch(ticket& who, std::vector<transaction_step>& steps) {
    ++uses_;
    take_bytes(who);
    who.phase.enter(ticket_phase::unplaced);
    begin_create(who, *directory_.incarnation());
    who.options.in_batch = true;
    steps.push_back({.what = step_kind::set, .path = path_});
    steps.push_back({.what = step_kind::create_sequential,
                     .path = who.name.prefix_under(path_),
                     .data = data_of(who)});
}

bool lock_queue::made_in_batch(ticket& who, const reply& answer, bool keeps) {
    const auto id = who.id;
    if (!keeps)
        cancel(who, failure::taken_back); // before its place is looked for
    on_created(who, answer);
    const auto still = table_.find(id);
    return still && still->phase >= ticket_phase::confirming;
}

void lock_queue::not_made_in_batch(ticket& who) {
    who.phase.enter(ticket_phase::unplaced);
    if (who.abandoned)
        return erase(who);
    cancel(who, failure::taken_back);
}

// From writer to reader, in the same place: no other ticket gets in between.
// A downgrade is multi(create(down-read-lock-s), delete(lock-s)), and no set: a session that
// watches the writer hears DELETED, never CHANGED. The new name proves that its owner held the lock
// at s, so nothing below s is left.

void lock_queue::downgrade(ticket& who, ticket_id caller) {
    if (const auto why = refusal_of_downgrade(who); why != failure::none)
        return context_.events.on_downgraded(caller, why, zookeeper_code::ok);
    who.wishes.downgrade_caller = caller;
    begin_downgrade();
}

// Where this session has handed the lock over to the ticket, the answer to that may show that an
// external actor has deleted it. Until then its name stays, and is checked with the hand-over.
void lock_queue::begin_downgrade() {
    if (standing_.empty() || !context_.requests.connected())
        return;
    auto& holder = *standing_.begin()->second; // a writer that holds the lock is the first
    if (holder.wishes.downgrade_caller != 0 && !holder.is_changing() &&
        !leaving_.some_before(holder.name))
        send_downgrade(holder);
}

void lock_queue::send_downgrade(ticket& who) {
    who.change = own_change::downgrade_sent;
    const bool in_doubt = context_.now() < who.late_downgrade_until;
    table_.ask_for(who,
                   {.op = operation::downgrade,
                    .path = path_of(who),
                    .data = data_of(who),
                    .target = who.name.as_downgraded().under(path_)},
                   [this, in_doubt](ticket& found, const reply& answer) {
                       on_downgrade(found, answer, in_doubt);
                   });
}

void lock_queue::on_downgrade(ticket& who, const reply& answer, bool in_doubt) {
    using enum zookeeper_code;
    if (answer.code == ok)
        return be_reader(who, 0);
    const auto session_timeout = context_.lease.timeout();
    if (outcome_unknown(answer.code)) {
        who.change = own_change::downgrade_unknown;
        who.late_downgrade_until = context_.now() + lease_plan::late_create(session_timeout);
        return;
    }
    // An external actor deleted the ticket, or an earlier try has come through late.
    if (answer.code == no_node || answer.code == node_exists)
        return ask_for_downgraded(who);
    // That this try fails says nothing of one that is held back on its way.
    if (answer.code == throttled || in_doubt) {
        who.change = own_change::downgrade_unknown;
        who.own_watch.set(context_.now() + lease_plan::asked_again(session_timeout), [this, &who] {
            if (who.change == own_change::downgrade_unknown)
                ask_for_downgraded(who);
        });
        return;
    }
    who.change = own_change::none;
    end_downgrade(who, answer.code == no_auth ? failure::create_denied : failure::server_error,
                  answer.code);
    watch_own(who); // what it heard meanwhile was not heeded
}

// The old name first: where it is gone, the answer for the new one is final.
void lock_queue::ask_for_downgraded(ticket& who) {
    who.change = own_change::downgrade_asked;
    table_.ask_for(who, {.op = operation::get, .path = path_of(who)},
                   [this](ticket& found, const reply& answer) { on_undowngraded(found, answer); });
    table_.ask_for(who, {.op = operation::get, .path = who.name.as_downgraded().under(path_)},
                   [this](ticket& found, const reply& answer) { on_downgraded(found, answer); });
}

void lock_queue::on_undowngraded(ticket& who, const reply& answer) {
    if (answer.code == zookeeper_code::ok && answer.stat.czxid == who.czxid)
        who.change = own_change::downgrade_still_there;
    else if (refused(answer.code))
        context_.drop_connection(); // a server with too much to do: asked again elsewhere
}

void lock_queue::on_downgraded(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    const bool stands = std::exchange(who.change, own_change::downgrade_unknown) ==
                        own_change::downgrade_still_there;
    if (answer.code == ok && answer.stat.ephemeral_owner == context_.session_id)
        return be_reader(who, answer.stat.czxid);
    if (answer.code == no_node && stands)
        return send_downgrade(who);
    if (answer.code == no_node && !context_.dropping) {
        who.change = own_change::none;
        return on_deleted_outside(who);
    }
    if (answer.code == ok) { // another program has taken the name
        who.change = own_change::none;
        return end_downgrade(who, failure::server_error, node_exists);
    }
    if (!outcome_unknown(answer.code))
        context_.drop_connection();
}

// One that was held back on its way fails, unless another node has the old name by then.
void lock_queue::expect_late_downgrades() {
    auto names = leaving_.in_doubt();
    for (const auto& [number, who] : tickets_)
        if (who.is_downgrading())
            names.push_back(who.name.as_downgraded());
    if (!names.empty())
        recovery_.expect_late(names);
}

void lock_queue::be_reader(ticket& who, std::int64_t czxid) {
    const auto successors = order_.local_successors(who);
    forget_own_watch(who);
    who.change = own_change::none;
    who.name = who.name.as_downgraded();
    who.kind = ticket_kind::shared;
    who.czxid = czxid;
    who.crowded = false; // its name says that it is clear
    const auto cost =
        ticket_cost(context_.options.chroot_bytes + path_.size() + 1 + who.name.length());
    if (cost > who.cost) // the name is longer
        context_.bytes.take(cost - std::exchange(who.cost, cost));
    if (context_.requests.connected())
        watch_own(who); // and tells its czxid
    order_.on_downgrade(who, successors);
    end_downgrade(who, failure::none);
}

void lock_queue::end_downgrade(ticket& who, failure why, zookeeper_code code) {
    if (const auto caller = who.end_downgrade())
        context_.events.on_downgraded(caller, why, code);
}

// From reader to writer, without letting go, where no other ticket stands.
// An upgrade is multi(check(own ticket), set(lock path), create(exclusive ticket)). The check shows
// that the own ticket stands. So where the set finds one child, it is that one: no other
// ticket holds the lock or waits for it, and the new ticket is the owner. Else it is taken back.

void lock_queue::upgrade(ticket& who, ticket_id caller, ticket_id writer,
                         const request_mark& request) {
    auto why = refusal_of_upgrade(who);
    if (why == failure::none && !context_.requests.connected())
        why = failure::would_block; // it waits for nothing, and so not for a connection
    if (why == failure::none && !context_.bytes.fits(cost_of_one(), true))
        why = failure::session_full;
    if (why != failure::none)
        return context_.events.on_upgraded(caller, why, zookeeper_code::ok, 0);
    who.wishes.upgrade_caller = caller;
    who.wishes.writer = writer;
    who.wishes.request = request;
    ask_for_upgrade(who);
}

// Before a ticket is made, which would stop readers that come meanwhile. By a write, since a server
// may show an older queue to a read.
void lock_queue::ask_for_upgrade(ticket& who) {
    table_.ask_for(who,
                   {.op = operation::transact,
                    .steps = {{.what = step_kind::check, .path = path_of(who)},
                              {.what = step_kind::set, .path = path_}}},
                   [this, writer = who.wishes.writer](ticket& found, const reply& answer) {
                       if (found.wishes.writer != writer)
                           return; // not to be upgraded any more
                       if (answer.code != zookeeper_code::ok)
                           return refuse_upgrade(found, answer);
                       if (answer.results[1].stat.children == 1)
                           return send_upgrade(found);
                       end_upgrade(found, failure::would_block);
                   });
}

// No caller waits by the new ticket: until the answer shows it to be the owner it counts as one
// whose caller has gone, and is deleted like that wherever it turns up.
void lock_queue::send_upgrade(ticket& who) {
    auto& writer = add(who.wishes.writer);
    take_bytes(writer);
    writer.abandoned = true;
    writer.request = who.wishes.request;
    writer.value = who.value;
    writer.started = context_.now();
    begin_create(writer, who.name.incarnation); // the check shows that it is still this
    table_.ask_for(writer,
                   {.op = operation::transact,
                    .steps = {{.what = step_kind::check, .path = path_of(who)},
                              {.what = step_kind::set, .path = path_},
                              {.what = step_kind::create_sequential,
                               .path = writer.name.prefix_under(path_),
                               .data = data_of(writer)}}},
                   [this, reader = who.id](ticket& made, const reply& answer) {
                       // It may not hold the lock any more, or not be upgraded any more.
                       const auto found = table_.find(reader);
                       on_upgrade(found && found->wishes.writer == made.id ? found : nullptr, made,
                                  answer);
                   });
}

void lock_queue::on_upgrade(ticket* who, ticket& writer, const reply& answer) {
    if (answer.code != zookeeper_code::ok) {
        if (outcome_unknown(answer.code)) {
            writer.phase.enter(ticket_phase::unresolved); // looked for, and deleted
        } else {
            writer.phase.enter(ticket_phase::unplaced);
            erase(writer);
        }
        if (who)
            refuse_upgrade(*who, answer);
        return;
    }
    const auto& of_path = answer.results[answer.results.size() - 2].stat;
    const auto sequence = appended_sequence(answer.results.back().path);
    const bool has_room = sequence >= 0 && sequence < sequence_limit;
    if (who && has_room && who->sharers.size() < 2 && of_path.children == 1) {
        writer.czxid = of_path.mzxid;
        writer.name.sequence = sequence;
        return be_writer(*who, writer);
    }
    settle(writer, of_path.mzxid, sequence); // which takes it back
    if (who)
        end_upgrade(*who, has_room ? failure::would_block : failure::sequence_exhausted);
}

void lock_queue::refuse_upgrade(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code))
        return end_upgrade(who, failure::would_block);
    if (answer.code == no_node) // the own ticket's: an external actor has deleted it
        return on_deleted_outside(who);
    if (answer.code == node_exists) // the server's counter sticks at its end
        return end_upgrade(who, failure::sequence_exhausted);
    if (answer.code != no_auth)
        return end_upgrade(who, failure::server_error, answer.code);
    constexpr std::array denied{failure::read_denied, failure::write_denied,
                                failure::create_denied};
    end_upgrade(who, denied[std::min(failed_step(answer), denied.size() - 1)], answer.code);
}

// What comes from here on stands behind the new ticket. The old one goes first, so that no release
// of the new one leaves it behind.
void lock_queue::be_writer(ticket& who, ticket& writer) {
    forget_own_watch(who);
    standing_.erase(who.name.sequence);
    --placed_;
    const auto cost = std::exchange(who.cost, std::exchange(writer.cost, 0));
    leaving_.add({.name = who.name, .czxid = who.czxid, .cost = cost});
    who.kind = ticket_kind::exclusive;
    who.name = writer.name;
    who.czxid = writer.czxid;
    who.request = writer.request;
    who.unseen = false;
    who.crowded = false;
    standing_.emplace(who.name.sequence, &who);
    directory_.seen(who.name.sequence);
    erase(writer);
    watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
    context_.events.on_upgraded(who.end_upgrade(), failure::none, zookeeper_code::ok, who.czxid);
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
