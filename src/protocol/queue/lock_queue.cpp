// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

lock_queue::lock_queue(session_context& shared, std::string path, ticket_table& table, purpose use,
                       ticket_naming naming)
    : context_(shared),
      table_(table),
      path_(std::move(path)),
      purpose_(use),
      naming_(naming),
      directory_(
          shared, path_,
          [this] {
              learn_incarnation(*directory_.incarnation());
              enqueues_.send_all();
          },
          [this](failure failed, zookeeper_code code) { enqueues_.fail_all(failed, code); },
          use == purpose::lock),
      leaving_(shared, *this, path_),
      recovery_(shared, table, *this),
      order_(shared, table, *this),
      changes_(shared, table, *this, order_),
      tickets_(shared),
      bytes_(shared, table, *this),
      enqueues_(shared, table, *this, tickets_, order_) {}

ticket& lock_queue::add(ticket_id id) {
    ++uses_;
    auto& who = tickets_.add(id, *this);
    table_.add(who);
    return who;
}

void lock_queue::enter(ticket& who) {
    if (!who.options.wait && order_.is_blocked(who))
        return cancel(who, failure::would_block);
    bytes_.enter(who);
}

void lock_queue::take_over_incarnation(const lock_directory& by) {
    directory_.on_found(by);
    learn_incarnation(*by.incarnation());
}

void lock_queue::suggest_incarnation(std::int64_t incarnation) {
    if (incarnation != 0 && !directory_.incarnation() && !directory_.is_busy())
        directory_.on_found(incarnation);
}

// The transaction that made a ticket also checked its name against the path. So if the path has
// another incarnation now, the old path was deleted, with all the tickets that stood there.
void lock_queue::learn_incarnation(std::int64_t incarnation) {
    directory_.on_found(incarnation);
    if (std::exchange(compared_incarnation_, incarnation) == incarnation)
        return; // each later ticket was compared when it was made
    remove_vanished([&](const ticket& other) { return other.name.incarnation != incarnation; },
                    evidence::certain);
}

bool lock_queue::knows(const ticket_name& name) const {
    return tickets_.may_have(name) || leaving_.contains(name) || leaving_.is_undeletable(name);
}

void lock_queue::cancel(ticket& who, failure why, zookeeper_code code) {
    using enum ticket_phase;
    if (who.phase >= held || who.abandoned)
        return;
    const auto id = who.id;
    const auto taker = who.taker;
    const auto callers = table_.take_callers(who);
    switch (who.phase) {
    case creating:
    case unresolved: // its node is deleted once an answer or recovery shows it
        who.abandoned = true;
        who.deadline.cancel();
        break;
    case waiting_for_budget:
        bytes_.stop_waiting(who);
        erase(who);
        break;
    case unplaced:
        erase(who);
        break;
    case finding_predecessor:
    case neighbour:
    case waiting:
    case confirming:
        give_up_place(who);
        erase(who);
        break;
    case held:
    case lost:
        break; // returned above
    }
    tell_failed(id, taker, callers, why, code);
}

void lock_queue::cancel_caller(ticket& who, ticket_id caller, failure why) {
    if (who.wishes.upgrade_caller == caller)
        return changes_.end_upgrade(who, why);
    if (who.phase >= ticket_phase::held || who.abandoned)
        return;
    if (!table_.leave(who, caller))
        return cancel(who, why);
    context_.lock_events.on_acquire_failed(caller, why, zookeeper_code::ok);
}

void lock_queue::tell_failed(ticket_id id, line_taker* taker, const std::vector<ticket_id>& callers,
                             failure why, zookeeper_code code) {
    if (taker)
        return taker->on_line_failed(id, why, code);
    for (const auto caller : callers)
        context_.lock_events.on_acquire_failed(caller, why, code);
}

void lock_queue::give_up_place(ticket& who) {
    const auto successors = order_.local_successors(who);
    delete_node(who, delete_form::plain);
    order_.on_leave(who, successors);
}

// The reader's old node is deleted here, since its later release deletes the new node alone.
void lock_queue::take_node_of(ticket& who, ticket& writer) {
    forget_own_watch(who);
    tickets_.leave(who);
    leaving_.add({.name = who.name, .czxid = who.czxid, .bytes = bytes_.take_from(who)});
    who.bytes = std::move(writer.bytes);
    who.kind = ticket_kind::exclusive;
    who.name = writer.name;
    who.czxid = writer.czxid;
    who.mark = writer.mark;
    who.unseen = false;
    who.crowded = false;
    tickets_.stand(who);
    directory_.note_seen(who.name.sequence);
    erase(writer);
    watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
}

void lock_queue::on_ticket_gone(const ticket_name& name) {
    if (const auto who = tickets_.find(name); who && !who->is_changing())
        on_deleted_outside(*who);
}

void lock_queue::delete_node(ticket& who, delete_form form, ticket_id notify,
                             std::vector<ticket_name> next) {
    tickets_.leave(who);
    leaving_.add({.name = who.name,
                  .czxid = who.czxid,
                  .form = form,
                  .bytes = bytes_.take_from(who),
                  .notify = notify,
                  .may_be_downgraded = who.is_downgrading()},
                 std::move(next));
}

void lock_queue::delete_unknown(const ticket_name& name, std::int64_t czxid) {
    if (!knows(name))
        leaving_.add({.name = name, .czxid = czxid});
}

void lock_queue::erase(ticket& who) {
    bytes_.take_from(who).give();
    forget_own_watch(who);
    table_.erase(who);
    tickets_.erase(who);
}

void lock_queue::on_deletion_ended() {
    for (const auto id : std::exchange(held_back_, {}))
        if (const auto who = table_.find(id); who && who->phase == ticket_phase::confirming)
            on_first_in_line(*who);
    changes_.begin_downgrade();
    bytes_.enter_waiting(); // those of this path come before those of other paths
    if (resting())
        directory_.restart_counter();
}

// ---- connections, and the end of the session ----

void lock_queue::on_connected() {
    // A downgrade whose answer was lost may still be carried out, as long as a node has the
    // writer's name. So recovery looks for both: the deletions in doubt, and the tickets whose
    // downgrade is open.
    auto late = leaving_.downgraded_names();
    for (const auto& [number, who] : tickets_)
        if (who.is_downgrading())
            late.push_back(who.name.as_downgraded());
    if (!late.empty())
        recovery_.expect_late(late);
    leaving_.on_connected();
    recovery_.on_connected();
    enqueues_.send_all();
    for (auto& [number, who] : tickets_)
        if (who.has_node()) {
            who.unseen = true;
            watch_own_later(who, context_.random_spread());
            if (who.is_downgrading())
                changes_.resume(who);
        }
    changes_.begin_downgrade();
}

void lock_queue::on_disconnected() {
    directory_.on_disconnected();
    recovery_.on_disconnected();
    for (auto& [number, who] : tickets_) {
        if (who.before)
            who.before->armed = false;
        who.watches_itself = own_watch_state::none;
        who.own_timer.cancel();
    }
}

void lock_queue::abandon_all() {
    bytes_.stop_all();
    tickets_.leave_all();
    for (auto next = tickets_.begin(); next != tickets_.end();) {
        auto& who = next++->second;
        if (who.phase == ticket_phase::held) {
            lose_place(who, failure::session_closed);
            continue;
        }
        const bool is_waited_for = !who.abandoned && who.phase != ticket_phase::lost;
        const auto id = who.id;
        const auto taker = who.taker;
        const auto callers = table_.take_callers(who);
        erase(who);
        if (is_waited_for)
            tell_failed(id, taker, callers, failure::session_closed, zookeeper_code::ok);
    }
}

void lock_queue::on_expired(failure releases) {
    // The nodes went with the session (Q16). No ticket may stand any more when lose_place()
    // reports.
    leaving_.on_expired(releases);
    recovery_.on_expired();
    directory_.forget_numbers(); // the servers may have lost transactions
    tickets_.leave_all();
    for (auto next = tickets_.begin(); next != tickets_.end();) {
        auto& who = next++->second;
        if (who.phase == ticket_phase::held)
            lose_place(who, failure::session_expired);
        else if (who.abandoned || who.phase == ticket_phase::lost)
            erase(who);
        else if (who.phase != ticket_phase::waiting_for_budget)
            enqueues_.restart(who);
    }
}

} // namespace turnstile::protocol
