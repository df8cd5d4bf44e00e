// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/ticket_changes.hpp"

#include "protocol/queue/lock_queue.hpp"
#include "protocol/queue/ticket_table.hpp"

#include <algorithm>
#include <array>

namespace turnstile::protocol {

namespace {

/// Only a writer with one handle becomes a reader: another handle would still count as a writer's.
failure refusal_of_downgrade(const ticket& who) {
    if (who.lock.is_lost())
        return who.lock.why_lost();
    if (!who.exclusive() || who.wishes.downgrade_caller != 0)
        return failure::not_exclusive;
    if (!who.name.may_be_downgraded())
        return failure::names_forbid;
    return who.sharers.size() > 1 ? failure::not_alone : failure::none;
}

/// Only a reader alone on its ticket becomes a writer: the others that share it hold to read.
failure refusal_of_upgrade(const ticket& who) {
    if (who.lock.is_lost())
        return who.lock.why_lost();
    if (who.exclusive())
        return failure::not_shared;
    if (who.name.naming != ticket_naming::lock)
        return failure::names_forbid;
    return who.wishes.upgrade_caller != 0 || who.sharers.size() > 1 ? failure::would_block
                                                                    : failure::none;
}

} // namespace

// A downgrade makes a writer a reader in the same place, so no other ticket gets in between. It is
// multi(create(down-read-lock-s), delete(lock-s)), without a set: a session that watches the writer
// gets DELETED, never CHANGED. The new name proves that its owner held the lock at s, so no ticket
// below s is left.

void ticket_changes::downgrade(ticket& who, ticket_id caller) {
    if (const auto why = refusal_of_downgrade(who); why != failure::none)
        return context_.lock_events.on_downgraded(caller, why, zookeeper_code::ok);
    who.wishes.downgrade_caller = caller;
    begin_downgrade();
}

// A deletion by which this session hands the lock over to the holder also checks its name. The
// downgrade waits for that answer: it may show that another program has deleted the ticket.
void ticket_changes::begin_downgrade() {
    const auto& standing = queue_.tickets().standing();
    if (standing.empty() || !context_.requests.connected())
        return;
    auto& holder = *standing.begin()->second; // a writer that holds the lock is the first
    if (holder.wishes.downgrade_caller != 0 && !holder.is_changing() &&
        !queue_.leaving().has_deletion_before(holder.name))
        send_downgrade(holder);
}

void ticket_changes::send_downgrade(ticket& who) {
    who.change.enter(own_change::downgrade_sent);
    const bool in_doubt = context_.now() < who.late_downgrade_until;
    table_.ask_for(who,
                   {.op = operation::downgrade,
                    .path = queue_.path_of(who),
                    .data = queue_.enqueues().data_of(who),
                    .target = who.name.as_downgraded().under(queue_.path())},
                   [this, in_doubt](ticket& found, const reply& answer) {
                       on_downgrade_answer(found, answer, in_doubt);
                   });
}

void ticket_changes::on_downgrade_answer(ticket& who, const reply& answer, bool in_doubt) {
    using enum zookeeper_code;
    if (answer.code == ok)
        return become_reader(who, 0);
    const auto session_timeout = context_.lease.timeout();
    if (outcome_unknown(answer.code)) { // on the next connection lock_queue calls resume()
        who.change.enter(own_change::downgrade_unknown);
        who.late_downgrade_until = context_.now() + lease_plan::late_create(session_timeout);
        return;
    }
    // Another program deleted the ticket, or an earlier try was carried out late. If the event of
    // the node's end came before this answer, there is no time for a pause (D8).
    if (answer.code == no_node || answer.code == node_exists ||
        who.change == own_change::downgrade_heard)
        return read_both_names(who);
    // This try was not carried out. But an earlier one may still come, or this server asks for a
    // pause: both names are read a while later.
    if (answer.code == throttled || in_doubt) {
        who.change.enter(own_change::downgrade_unknown);
        // own_timer is free: while a downgrade is open, the own watch is not set.
        who.own_timer.set(context_.now() + lease_plan::asked_again(session_timeout), [this, &who] {
            if (who.change == own_change::downgrade_unknown)
                read_both_names(who);
        });
        return;
    }
    who.change.enter(own_change::none);
    end_downgrade(who, answer.code == no_auth ? failure::create_denied : failure::server_error,
                  answer.code);
    queue_.watch_own(who); // events of the node were ignored meanwhile
}

// The old name comes first: if it is gone, the answer for the new one is final.
void ticket_changes::read_both_names(ticket& who) {
    who.change.enter(own_change::reading_both_names);
    table_.ask_for(who, {.op = operation::get, .path = queue_.path_of(who)},
                   [this](ticket& found, const reply& answer) { on_old_name_read(found, answer); });
    table_.ask_for(who,
                   {.op = operation::get, .path = who.name.as_downgraded().under(queue_.path())},
                   [this](ticket& found, const reply& answer) { on_new_name_read(found, answer); });
}

void ticket_changes::on_old_name_read(ticket& who, const reply& answer) {
    if (answer.code == zookeeper_code::ok && answer.stat.czxid == who.czxid)
        who.change.enter(own_change::old_name_is_there);
    else if (refused(answer.code)) {
        who.change.enter(own_change::old_name_unread);
        context_.drop_connection(); // the server has too much to do: another one is asked
    }
}

// What is there shows what became of the downgrade:
// - the new name, of this session: it was carried out
// - the new name, of another session: that node has taken the name, and the downgrade ends
// - the old name alone: it was not carried out, and is sent again
// - neither name: another program has deleted the ticket
// - the old name could not be read, or the new one: both are read on the next connection
void ticket_changes::on_new_name_read(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    const own_change old_name = who.change; // as on_old_name_read() has left it
    const bool is_gone = old_name == own_change::reading_both_names;
    who.change.enter(own_change::downgrade_unknown);
    if (answer.code == ok && answer.stat.ephemeral_owner == context_.session_id)
        return become_reader(who, answer.stat.czxid);
    if (answer.code == ok) {
        who.change.enter(own_change::none);
        end_downgrade(who, failure::server_error, node_exists);
        if (is_gone)
            return queue_.on_deleted_outside(who);
        return queue_.watch_own(who); // events of the node were ignored meanwhile
    }
    if (answer.code == no_node && old_name == own_change::old_name_is_there)
        return send_downgrade(who);
    if (answer.code == no_node && is_gone) {
        who.change.enter(own_change::none);
        return queue_.on_deleted_outside(who);
    }
    if (!outcome_unknown(answer.code))
        context_.drop_connection();
}

// If the downgrade deleted the node, its answer comes right behind the event. If not, another
// program did, and the downgrade may be held back on its way.
void ticket_changes::await_downgrade(ticket& who) {
    const auto end = context_.now() + lease_plan::late_answer(context_.lease.timeout());
    who.own_timer.set(end, [this, &who] {
        if (who.phase == ticket_phase::held && who.is_downgrading())
            queue_.on_deleted_outside(who, lock_queue::evidence::read);
    });
    if (who.change == own_change::downgrade_sent)
        who.change.enter(own_change::downgrade_heard);
    else if (who.change == own_change::downgrade_unknown) // no answer is on its way
        read_both_names(who);
}

void ticket_changes::become_reader(ticket& who, std::int64_t czxid) {
    const auto successors = order_.local_successors(who);
    queue_.forget_own_watch(who);
    who.change.enter(own_change::none);
    who.name = who.name.as_downgraded();
    who.kind = ticket_kind::shared;
    who.czxid = czxid;
    who.crowded = false; // its name says that it is clear
    who.bytes.grow_to(ticket_cost(context_.options.chroot_bytes + queue_.path_of(who).size()));
    if (context_.requests.connected())
        queue_.watch_own(who); // its answer also shows the czxid
    order_.on_downgrade(who, successors);
    end_downgrade(who, failure::none);
}

void ticket_changes::end_downgrade(ticket& who, failure why, zookeeper_code code) {
    if (const auto caller = who.end_downgrade())
        context_.lock_events.on_downgraded(caller, why, code);
}

// An upgrade makes a reader a writer without letting go, if no other ticket stands. It is
// multi(check(own ticket), set(lock path), create(exclusive ticket)). The check shows that the own
// ticket stands. So if the set finds one child, no other ticket holds the lock or waits for it, and
// the new ticket is first in line. If not, it is taken back.

void ticket_changes::upgrade(ticket& who, ticket_id caller, ticket_id writer,
                             const request_mark& mark) {
    auto why = refusal_of_upgrade(who);
    if (why == failure::none && !context_.requests.connected())
        why = failure::would_block; // it waits for nothing, and so not for a connection
    if (why == failure::none && !context_.bytes.fits(queue_.bytes().cost_of_one(), true))
        why = failure::session_full;
    if (why != failure::none)
        return context_.lock_events.on_upgraded(caller, why, zookeeper_code::ok, 0);
    who.wishes.upgrade_caller = caller;
    who.wishes.writer = writer;
    who.wishes.mark = mark;
    check_alone(who);
}

// Asks whether the reader stands alone, before the exclusive ticket is made: that ticket would keep
// out readers that come meanwhile. It asks by a transaction, since a read may show an older queue.
void ticket_changes::check_alone(ticket& who) {
    table_.ask_for(who,
                   {.op = operation::transact,
                    .steps = {{.what = step_kind::check, .path = queue_.path_of(who)},
                              {.what = step_kind::set, .path = queue_.path()}}},
                   [this, writer = who.wishes.writer](ticket& found, const reply& answer) {
                       if (found.wishes.writer != writer)
                           return; // this upgrade has ended
                       if (answer.code != zookeeper_code::ok)
                           return refuse_upgrade(found, answer);
                       if (answer.results.back().stat.children == 1)
                           return send_upgrade(found);
                       end_upgrade(found, failure::would_block);
                   });
}

// Until the answer shows that the new ticket is first in line, it counts as one whose caller has
// gone: wherever it turns up, it is deleted.
void ticket_changes::send_upgrade(ticket& who) {
    auto& writer = queue_.add(who.wishes.writer);
    queue_.bytes().charge(writer);
    writer.abandoned = true;
    writer.mark = who.wishes.mark;
    writer.value = who.value;
    writer.started = context_.now();
    queue_.enqueues().begin(writer, who.name.incarnation); // which the check below shows
    table_.ask_for(writer,
                   {.op = operation::transact,
                    .steps = {{.what = step_kind::check, .path = queue_.path_of(who)},
                              {.what = step_kind::set, .path = queue_.path()},
                              {.what = step_kind::create_sequential,
                               .path = writer.name.prefix_under(queue_.path()),
                               .data = queue_.enqueues().data_of(writer)}}},
                   [this, reader = who.id](ticket& made, const reply& answer) {
                       // The reader may have lost the lock, or its upgrade may have ended.
                       const auto found = table_.find(reader);
                       on_upgrade_answer(found && found->wishes.writer == made.id ? found : nullptr,
                                         made, answer);
                   });
}

void ticket_changes::on_upgrade_answer(ticket* who, ticket& writer, const reply& answer) {
    if (answer.code != zookeeper_code::ok) {
        if (outcome_unknown(answer.code)) {
            writer.phase.enter(ticket_phase::unresolved); // recovery finds and deletes it
        } else {
            writer.phase.enter(ticket_phase::unplaced);
            queue_.erase(writer);
        }
        if (who)
            refuse_upgrade(*who, answer);
        return;
    }
    const auto set_step = answer.results.size() - 2; // the create is the last step
    const auto& of_path = answer.results[set_step].stat;
    const auto& node = answer.results.back().path;
    const auto sequence = appended_sequence(node);
    // This may end tickets from that number on, but not `who`: the check has shown its node, so its
    // number is lower.
    queue_.enqueues().check_number(node, sequence);
    const bool has_room = sequence >= 0 && sequence < sequence_limit;
    if (who && has_room && who->sharers.size() < 2 && of_path.children == 1) {
        writer.czxid = of_path.mzxid;
        writer.name.sequence = sequence;
        queue_.take_node_of(*who, writer);
        return context_.lock_events.on_upgraded(who->end_upgrade(), failure::none,
                                                zookeeper_code::ok, who->czxid);
    }
    // This deletes the node: its caller is gone.
    queue_.enqueues().on_made(writer, of_path.mzxid, sequence);
    if (who)
        end_upgrade(*who, has_room ? failure::would_block : failure::sequence_exhausted);
}

void ticket_changes::refuse_upgrade(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code) || answer.code == throttled) // it waits for nothing
        return end_upgrade(who, failure::would_block);
    if (answer.code == no_node) // another program has deleted the own ticket
        return queue_.on_deleted_outside(who);
    if (answer.code == node_exists) // the server's counter sticks at its end
        return end_upgrade(who, failure::sequence_exhausted);
    if (answer.code != no_auth)
        return end_upgrade(who, failure::server_error, answer.code);
    constexpr std::array denied{failure::read_denied, failure::write_denied,
                                failure::create_denied};
    end_upgrade(who, denied[std::min(failed_step(answer), denied.size() - 1)], answer.code);
}

void ticket_changes::end_upgrade(ticket& who, failure why, zookeeper_code code) {
    if (const auto caller = who.end_upgrade())
        context_.lock_events.on_upgraded(caller, why, code, 0);
}

void ticket_changes::end_all(ticket& who, failure why) {
    end_downgrade(who, why);
    end_upgrade(who, why);
}

} // namespace turnstile::protocol
