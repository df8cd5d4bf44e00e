// SPDX-License-Identifier: BSL-1.0
// Who stands before a ticket: one get where the neighbour is there, one list where it is not.
#include "protocol/queue/lock_queue.hpp"
#include "protocol/queue/predecessor_order.hpp"

namespace turnstile::protocol {

bool predecessor_order::stand_behind_own(ticket& who, const ticket_name& name) {
    const auto own_ticket = queue_.standing().find(name.sequence);
    const bool stands = own_ticket != queue_.standing().end() && (*own_ticket)->name == name &&
                        (*own_ticket)->exclusive();
    if (!stands && !(context_.rules.leaving_is_neighbour() && queue_.leaving().contains(name)))
        return false;
    if (queue_.may_not_wait(who))
        return true;
    who.before.reset();
    who.neighbour_of = name.sequence;
    who.phase.take(ticket_step::met_neighbour);
    return true;
}

void predecessor_order::watch_itself(ticket& who) {
    if (!who.patient || who.watches_itself == own_watch_state::armed ||
        !context_.rules.watches_itself_from_the_start())
        return;
    who.unseen = true; // until that watch is known to be set
    queue_.watch_own(who);
}

void predecessor_order::search_at(ticket& who, std::int32_t sequence) {
    unwatch(who);
    who.before.reset();
    who.neighbour_of.reset();
    // As a neighbour it was not watched, or no event says whether it ended before what comes now.
    if (who.phase == ticket_phase::neighbour && context_.rules.watches_itself_from_the_start())
        who.unseen = true;
    who.phase.take(ticket_step::searches);
    ++who.epoch;
    if (!context_.requests.connected())
        return; // every waiter searches again after the reconnect
    const ticket_name nearest{.incarnation = who.name.incarnation,
                              .sequence = sequence,
                              .guarded = who.name.guarded,
                              .kind = ticket_kind::exclusive,
                              .naming = who.name.naming};
    if (stand_behind_own(who, nearest))
        return;
    // Right behind a reader of this session that holds the lock, or held it, no writer stands.
    if (!who.exclusive() && sequence <= queue_.directory().clear())
        return first_(who);
    watch_itself(who);
    // A ticket that is leaving is never a predecessor, and nothing can be named below 0.
    if (sequence < 0 || queue_.leaving().contains(nearest) || queue_.standing().contains(sequence))
        return list(who);
    get_before(who, nearest.str());
    if (!who.exclusive())
        get_reader_before(who, ticket_name{.incarnation = who.name.incarnation,
                                           .sequence = sequence,
                                           .guarded = who.name.guarded,
                                           .kind = ticket_kind::shared,
                                           .naming = who.name.naming}
                                   .str());
}

// A writer that is gone may have become a reader in its place: then nothing below it is left.
void predecessor_order::search_behind_gone(ticket& who, const ticket_name& gone) {
    if (!gone.may_be_downgraded() || !context_.requests.connected())
        return search_at(who, gone.sequence - 1);
    watch_itself(who);
    who.phase.take(ticket_step::searches);
    const auto id = who.id;
    const auto epoch = ++who.epoch;
    const auto name = gone.as_downgraded();
    const bool waits = who.exclusive() && context_.rules.search_sets_watch(who.patient);
    context_.requests.send(
        {.op = operation::get, .path = name.under(queue_.path()), .watch = waits},
        [this, id, epoch, name](const reply& answer) {
            if (const auto found = context_.find(id, epoch))
                on_downgraded_before(*found, name, answer);
        });
}

void predecessor_order::on_downgraded_before(ticket& who, const ticket_name& name,
                                             const reply& answer) {
    if (answer.code == zookeeper_code::no_node)
        return search_at(who, name.sequence - 1);
    if (answer.code == zookeeper_code::ok && answer.stat.ephemeral_owner != 0 &&
        context_.rules.passes_downgraded(who))
        return first_(who);
    on_before(who, name.str(), answer);
}

void predecessor_order::search_again(ticket& who) {
    if (!who.before)
        return search(who);
    const auto name = who.before->path.substr(queue_.path().size() + 1);
    who.before.reset();
    watch_itself(who);
    who.phase.take(ticket_step::searches);
    ++who.epoch;
    get_before(who, name);
}

void predecessor_order::get_before(ticket& who, const std::string& name) {
    const auto id = who.id;
    const auto epoch = who.epoch;
    // `get`, never `exists`: on a missing node `exists` leaves a watch behind, and it tells
    // NOAUTH, where the server would drop the event without a word.
    context_.requests.send({.op = operation::get,
                            .path = queue_.path() + '/' + name,
                            .watch = context_.rules.search_sets_watch(who.patient)},
                           [this, id, epoch, name](const reply& answer) {
                               if (const auto found = context_.find(id, epoch))
                                   on_before(*found, name, answer);
                           });
}

// Comes behind the answer for an exclusive one of that number, which left it to this one to decide.
void predecessor_order::get_reader_before(ticket& who, const std::string& name) {
    const auto id = who.id;
    const auto epoch = who.epoch;
    who.reader_search = epoch;
    context_.requests.send({.op = operation::get, .path = queue_.path() + '/' + name},
                           [this, id, epoch, guarded = who.name.guarded](const reply& answer) {
                               const auto found = context_.find(id, epoch);
                               if (!found || found->phase != ticket_phase::finding_predecessor ||
                                   outcome_unknown(answer.code))
                                   return;
                               context_.rules.follows_clear_reader(answer, guarded) ? first_(*found)
                                                                                    : list(*found);
                           });
}

void predecessor_order::on_before(ticket& who, const std::string& name, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code))
        return; // searched again after the reconnect
    if (answer.code == no_node) {
        if (context_.rules.missing_node_hands_over())
            return first_(who);
        if (!who.asks_for_reader()) // else the answer for the reader decides
            list(who);
        return;
    }
    if (answer.code != ok)
        return refuse(who, answer.code);
    const auto parsed = parse_contender(name);
    const auto own_name = ticket_name::parse(name);
    if (answer.stat.ephemeral_owner == 0 || !parsed) {
        who.meet_no_ticket(name);
        return list(who);
    }
    const bool of_this_session = answer.stat.ephemeral_owner == context_.session_id;
    if (of_this_session && own_name && stand_behind_own(who, *own_name))
        return;
    if (of_this_session && own_name && queue_.leaving().contains(*own_name))
        return list(who);
    // The session may not delete that ticket, so it stays as long as the session. `who` was its
    // heir and first, until a reconnect had it search again.
    if (of_this_session && own_name && queue_.may_not_delete(*own_name) &&
        context_.rules.waits_behind_undeletable(who))
        return queue_.cancel(who, failure::release_denied, no_auth);
    if (queue_.may_not_wait(who))
        return;
    queue_.saw(parsed->sequence);
    // A ticket of this session that stands for no acquire may yet turn out to be the answer to a
    // create. So an event of it never grants: it only causes another search.
    const bool stray = of_this_session && own_name && !queue_.knows(*own_name);
    who.before = predecessor{
        .path = queue_.path() + '/' + name,
        .sequence = parsed->sequence,
        .exclusive = parsed->kind == ticket_kind::exclusive,
        .trusted = !of_this_session && context_.options.guarded && own_name &&
                   context_.rules.releases_with_changed(own_name->kind, own_name->guarded) &&
                   own_name->incarnation == who.name.incarnation,
        .armed = true};
    who.phase.take(ticket_step::set_watch);
    context_.watches.add(who.before->path, who.id);
    if (stray)
        queue_.meet_stray(*own_name, answer.stat.czxid);
}

void predecessor_order::refuse(ticket& who, zookeeper_code code) {
    queue_.cancel(who, failure_of_read(code), code);
}

void predecessor_order::list(ticket& who) {
    who.phase.take(ticket_step::searches);
    const auto id = who.id;
    const auto epoch = ++who.epoch;
    context_.requests.send({.op = operation::get_children, .path = queue_.path()},
                           [this, id, epoch](const reply& answer) {
                               if (const auto found = context_.find(id, epoch))
                                   on_list(*found, answer);
                           });
}

void predecessor_order::on_list(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code))
        return;
    if (answer.code == no_node)
        return queue_.on_deleted_outside(who, lock_queue::evidence::read);
    if (answer.code != ok)
        return refuse(who, answer.code);
    if (answer.stat.czxid > who.name.incarnation) // made anew: `who` is gone, and all beside it
        return queue_.learn_incarnation(answer.stat.czxid);
    const auto own_name = who.name.str();
    bool found_self = false;
    const std::string* nearest = nullptr;
    contender nearest_parsed;
    for (const auto& child : answer.children) {
        if (context_.rules.is_itself(child, own_name)) {
            found_self = true;
            continue;
        }
        if (context_.rules.is_other_kind(child))
            return queue_.cancel(who, failure::wrong_kind);
        const auto other = parse_contender(child);
        if (other && context_.rules.is_other_naming(other->naming, who.name.naming))
            return queue_.cancel(who, failure::wrong_kind);
        if (!other || other->sequence >= who.name.sequence || who.is_no_ticket(child))
            continue;
        if (!who.exclusive() && other->kind == ticket_kind::shared)
            continue; // readers stand beside each other
        if (const auto ours = ticket_name::parse(child); ours && queue_.leaving().contains(*ours))
            continue;
        if (!nearest ||
            context_.rules.is_nearer(child, other->sequence, *nearest, nearest_parsed.sequence)) {
            nearest = &child;
            nearest_parsed = *other;
        }
    }
    if (context_.rules.is_gone_from_listing(found_self))
        return queue_.on_deleted_outside(who, lock_queue::evidence::read);
    // An own ticket that `who` would wait for, above the nearest one listed, was deleted by an
    // external actor. If it stayed in the table, it would stand between `who` and the one whose
    // local successor it is.
    const auto lowest = nearest ? nearest_parsed.sequence : -1;
    queue_.remove_vanished(
        [&](const ticket& other) {
            return (other.exclusive() || who.exclusive()) && other.name.sequence > lowest &&
                   other.name.sequence < who.name.sequence && !other.is_downgrading();
        },
        lock_queue::evidence::read);
    if (!nearest) {
        who.unseen = false; // this answer shows it, and that it is first
        return first_(who);
    }
    if (const auto ours = ticket_name::parse(*nearest); ours && stand_behind_own(who, *ours))
        return;
    get_before(who, *nearest);
}

} // namespace turnstile::protocol
