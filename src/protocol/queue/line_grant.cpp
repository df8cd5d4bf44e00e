// Owner, held, lost; and what a ticket that goes leaves to its neighbour.
#include "protocol/queue/line.hpp"

#include <utility>

namespace turnstile::protocol {

void line::own(ticket& who) {
    forget_before(who);
    who.before.reset();
    who.neighbour_of.reset();
    who.no_tickets.clear();
    who.phase = ticket_phase::confirming;
    const auto epoch = ++who.epoch;
    const bool fresh = core_.lease_is_fresh() || core_.mutated(mutant::grant_on_stale_lease);
    if (fresh && (!who.unseen || core_.mutated(mutant::grant_unseen)))
        return grant(who);
    if (!core_.wire.connected())
        return; // looked at again after the reconnect
    const auto id = who.id;
    core_.wire.send({.op = operation::check, .path = path_of(who)}, {purpose::confirm, id, epoch},
                    [this, id, epoch](const reply& answer) {
                        const auto found = core_.find(id, epoch);
                        if (!found || outcome_unknown(answer.code))
                            return;
                        if (answer.code == zookeeper_code::no_node)
                            return on_deleted_outside(*found);
                        if (answered(answer.code) && core_.lease_is_fresh())
                            return grant(*found);
                        core_.drop_connection(); // a handshake and one write prove a whole T
                    });
}

void line::grant(ticket& who) {
    who.phase = ticket_phase::held;
    if (!core_.mutated(mutant::limit_survives_grant))
        who.limit.cancel();
    core_.held.insert(who.id);
    core_.tell_deadline();
    core_.events.on_granted(who.id, core_.mutated(mutant::token_is_sequence) ? who.name.sequence
                                                                             : who.czxid);
}

void line::lose(ticket& who) {
    const auto id = who.id;
    core_.held.erase(id);
    who.phase = ticket_phase::lost;
    const auto end = core_.mutated(mutant::gives_up_place_when_told)
                         ? core_.now()
                         : core_.proof.deadline().value_or(core_.now());
    who.limit.set(end, [this, id] {
        if (const auto found = core_.find(id)) {
            leave(*found);
            erase(*found);
        }
    });
    core_.events.on_lost(id, failure::lost_deadline);
}

void line::drop_dead(const std::function<bool(const ticket&)>& is_dead, evidence why) {
    std::vector<ticket_id> dead;
    for (const auto& [sequence, who] : by_sequence_)
        if (is_dead(*who))
            dead.push_back(who->id);
    for (const auto id : dead) // all at once: none of them is another's neighbour any more
        by_sequence_.erase(core_.find(id)->name.sequence);
    for (const auto id : dead)
        if (const auto who = core_.find(id))
            on_deleted_outside(*who, why);
}

void line::on_deleted_outside(ticket& who, evidence why) {
    const auto id = who.id;
    const auto heirs = neighbours_of(who);
    if (why == evidence::read)
        depart(who, departure_form::plain, 0);
    by_sequence_.erase(who.name.sequence);
    if (who.phase == ticket_phase::lost) {
        erase(who);
    } else if (who.phase == ticket_phase::held) {
        core_.held.erase(id);
        core_.events.on_note(note_level::error,
                             "held ticket deleted from outside: " + path_of(who));
        erase(who);
        core_.events.on_lost(id, failure::lost_deleted);
    } else {
        core_.events.on_note(note_level::warning,
                             "waiting ticket deleted from outside, enqueued again: " +
                                 path_of(who));
        restart(who);
    }
    for (const auto heir : heirs)
        look(*heir);
}

std::vector<ticket*> line::neighbours_of(const ticket& who) {
    std::vector<ticket*> heirs;
    // Readers stand side by side: some of them may still look while others wait here.
    for (auto next = by_sequence_.upper_bound(who.name.sequence); next != by_sequence_.end();
         ++next) {
        if (next->second->neighbour_of == who.name.sequence)
            heirs.push_back(next->second);
        if (next->second->exclusive())
            break;
    }
    return heirs;
}

void line::pass_on(const ticket& leaver, const std::vector<ticket*>& heirs) {
    for (const auto heir : heirs) {
        if (core_.mutated(mutant::neighbour_granted_on_cancel)) {
            own(*heir);
            continue;
        }
        if (leaver.phase == ticket_phase::neighbour && leaver.neighbour_of &&
            by_sequence_.contains(*leaver.neighbour_of)) {
            heir->neighbour_of = leaver.neighbour_of;
            continue;
        }
        // A watch may be inherited only while it is armed, from an exclusive ticket, and a reader
        // never waits for a reader.
        const auto& before = leaver.before;
        if (leaver.phase == ticket_phase::waiting && before &&
            (before->armed || core_.mutated(mutant::unarmed_watch_inherited)) &&
            leaver.exclusive() &&
            (heir->exclusive() || before->exclusive ||
             core_.mutated(mutant::reader_inherits_reader))) {
            heir->before = before;
            heir->neighbour_of.reset();
            heir->phase = ticket_phase::waiting;
            ++heir->epoch;
            core_.watches.add(before->path, heir->id);
            continue;
        }
        look_at(*heir, leaver.name.sequence - 1);
    }
}

void line::watch_own_later(ticket& who, duration delay) {
    const auto id = who.id;
    who.own_watch.set(core_.now() + delay, [this, id] {
        const auto found = core_.find(id);
        if (found && found->has_node())
            watch_own(*found);
    });
}

void line::forget_own_watch(ticket& who) {
    who.own_watch.cancel();
    if (std::exchange(who.watches_itself, false))
        core_.watches.remove(path_of(who), who.id);
}

void line::watch_own(ticket& who) {
    if (!core_.wire.connected())
        return;
    const auto id = who.id;
    const auto node = path_of(who);
    core_.wire.send({.op = operation::get, .path = node, .watch = true},
                    {purpose::watch_own, id, static_cast<std::uint64_t>(who.czxid)},
                    [this, id, node](const reply& answer) {
                        const auto found = core_.find(id);
                        if (!found || !found->has_node() || path_of(*found) != node)
                            return;
                        if (answer.code == zookeeper_code::no_node)
                            return on_deleted_outside(*found, evidence::read);
                        if (answer.code != zookeeper_code::ok)
                            return;
                        found->watches_itself = true;
                        found->unseen = false;
                        core_.watches.add(node, id);
                    });
}

} // namespace turnstile::protocol
