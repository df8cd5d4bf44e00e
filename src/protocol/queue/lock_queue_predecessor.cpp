// Who stands before a ticket: one get where the neighbour is there, one list where it is not.
#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

void lock_queue::forget_before(ticket& who) {
    if (who.before && who.before->armed)
        context_.watches.remove(who.before->path, who.id);
}

bool lock_queue::may_not_wait(ticket& who) {
    const bool crowded = std::exchange(who.in_reserve, false) && !context_.bytes.fits(0, true);
    if (who.patient && !crowded)
        return false;
    cancel(who, who.patient ? failure::session_full : failure::would_block);
    return true;
}

bool lock_queue::stand_behind_own(ticket& who, const ticket_name& name) {
    const auto own_ticket = by_sequence_.find(name.sequence);
    const bool stands = own_ticket != by_sequence_.end() && own_ticket->second->name == name &&
                        own_ticket->second->exclusive();
    if (!stands && !(context_.rules.leaving_is_neighbour() && leaving_.contains(name)))
        return false;
    if (may_not_wait(who))
        return true;
    who.before.reset();
    who.neighbour_of = name.sequence;
    who.phase.take(ticket_step::met_neighbour);
    return true;
}

void lock_queue::find_predecessor_at(ticket& who, std::int32_t sequence) {
    forget_before(who);
    who.before.reset();
    who.neighbour_of.reset();
    who.phase.take(ticket_step::searches);
    ++who.epoch;
    if (!context_.requests.connected())
        return; // every waiter searches again after the reconnect
    const ticket_name nearest{.guarded = who.name.guarded,
                              .incarnation = who.name.incarnation,
                              .kind = ticket_kind::exclusive,
                              .sequence = sequence};
    if (stand_behind_own(who, nearest))
        return;
    // A ticket that is leaving is never a predecessor, and nothing can be named below 0.
    if (sequence < 0 || leaving_.contains(nearest) || by_sequence_.contains(sequence))
        return list(who);
    get_before(who, nearest.str());
}

void lock_queue::rewatch(ticket& who) {
    if (!who.before)
        return find_predecessor(who);
    const auto name = who.before->path.substr(path_.size() + 1);
    who.before.reset();
    who.phase.take(ticket_step::searches);
    ++who.epoch;
    get_before(who, name);
}

void lock_queue::get_before(ticket& who, const std::string& name) {
    const auto id = who.id;
    const auto epoch = who.epoch;
    // `get`, never `exists`: on a missing node `exists` leaves a watch behind, and it tells
    // NOAUTH, where the server would drop the event without a word.
    context_.requests.send({.op = operation::get,
                            .path = path_ + '/' + name,
                            .watch = context_.rules.search_sets_watch(who.patient)},
                           {request_purpose::find_predecessor, id, epoch},
                           [this, id, epoch, name](const reply& answer) {
                               if (const auto found = context_.find(id, epoch))
                                   on_before(*found, name, answer);
                           });
}

void lock_queue::on_before(ticket& who, const std::string& name, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code))
        return; // searched again after the reconnect
    if (answer.code == no_node)
        return context_.rules.missing_node_hands_over() ? on_first_in_line(who) : list(who);
    if (answer.code != ok)
        return find_refused(who, answer.code);
    const auto parsed = parse_contender(name);
    const auto own_name = ticket_name::parse(name);
    if (answer.stat.ephemeral_owner == 0 || !parsed) {
        who.no_tickets.insert(name);
        return list(who);
    }
    const bool of_this_session = answer.stat.ephemeral_owner == context_.session_id;
    if (of_this_session && own_name && stand_behind_own(who, *own_name))
        return;
    if (of_this_session && own_name && leaving_.contains(*own_name))
        return list(who);
    if (may_not_wait(who))
        return;
    directory_.seen(parsed->sequence);
    // A stray of this session may yet be adopted by an unresolved create: any event of it says
    // "search again", none says "yours".
    const bool stray = of_this_session && own_name && !knows(*own_name);
    who.before = predecessor{
        .path = path_ + '/' + name,
        .sequence = parsed->sequence,
        .exclusive = parsed->kind == ticket_kind::exclusive,
        .trusted = !of_this_session && context_.options.guarded && own_name &&
                   context_.rules.releases_with_changed(own_name->kind, own_name->guarded) &&
                   own_name->incarnation == who.name.incarnation,
        .armed = true};
    who.phase.take(ticket_step::set_watch);
    context_.watches.add(who.before->path, who.id);
    if (stray)
        recovery_.meet_stray(*own_name, answer.stat.czxid);
}

void lock_queue::find_refused(ticket& who, zookeeper_code code) {
    const bool denied = code == zookeeper_code::no_auth;
    cancel(who, denied ? failure::read_denied : failure::server_error, code);
}

void lock_queue::list(ticket& who) {
    who.phase.take(ticket_step::searches);
    const auto id = who.id;
    const auto epoch = ++who.epoch;
    context_.requests.send({.op = operation::get_children, .path = path_},
                           {request_purpose::list, id, epoch},
                           [this, id, epoch](const reply& answer) {
                               if (const auto found = context_.find(id, epoch))
                                   on_list(*found, answer);
                           });
}

void lock_queue::on_list(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code))
        return;
    if (answer.code == no_node)
        return on_deleted_outside(who, evidence::read);
    if (answer.code != ok)
        return find_refused(who, answer.code);
    if (answer.stat.czxid > who.name.incarnation) // made anew: `who` is gone, and all beside it
        return learn_incarnation(answer.stat.czxid);
    const auto own_name = who.name.str();
    bool found_self = false;
    const std::string* nearest = nullptr;
    contender nearest_parsed;
    for (const auto& child : answer.children) {
        if (child == own_name) {
            found_self = true;
            continue;
        }
        const auto other = parse_contender(child);
        if (!other || other->sequence >= who.name.sequence || who.no_tickets.contains(child))
            continue;
        if (!who.exclusive() && other->kind == ticket_kind::shared)
            continue; // readers stand beside each other
        if (const auto ours = ticket_name::parse(child); ours && leaving_.contains(*ours))
            continue;
        if (!nearest ||
            context_.rules.is_nearer(child, other->sequence, *nearest, nearest_parsed.sequence)) {
            nearest = &child;
            nearest_parsed = *other;
        }
    }
    if (context_.rules.is_gone_from_listing(found_self))
        return on_deleted_outside(who, evidence::read);
    who.unseen = false;
    // An own exclusive ticket above the nearest one listed is gone, by another hand: it would have
    // been nearer. If it stayed in the table, it would stand between `who` and the one whose heir
    // it is.
    const auto lowest = nearest ? nearest_parsed.sequence : -1;
    remove_vanished(
        [&](const ticket& other) {
            return other.exclusive() && other.name.sequence > lowest &&
                   other.name.sequence < who.name.sequence;
        },
        evidence::read);
    if (!nearest)
        return on_first_in_line(who);
    if (const auto ours = ticket_name::parse(*nearest); ours && stand_behind_own(who, *ours))
        return;
    get_before(who, *nearest);
}

void lock_queue::on_watch(ticket& who, const std::string& node, watch_event event) {
    if (node == path_of(who) && who.has_node()) {
        if (!context_.rules.heeds_own_watch())
            return;
        who.watches_itself = false;
        if (event == watch_event::deleted)
            return on_deleted_outside(who);
        return watch_own(who); // somebody set its data: no release of ours
    }
    if (who.phase != ticket_phase::waiting || !who.before || who.before->path != node)
        return;
    const auto before = *who.before;
    who.before.reset();
    if (context_.rules.hands_over(event, before.trusted))
        return on_first_in_line(who);
    const auto vanished = ticket_name::parse(std::string_view(node).substr(path_.size() + 1));
    const bool one_of_ours = vanished && vanished->incarnation == who.name.incarnation;
    if (event == watch_event::deleted && one_of_ours) {
        find_predecessor_at(who, before.sequence - 1);
    } else {
        // Another program's node may share its sequence with one more (Curator's downgrade): list.
        who.neighbour_of.reset();
        list(who);
    }
    if (context_.rules.keeps_fired_watch() && who.phase == ticket_phase::finding_predecessor)
        who.before = before;
}

} // namespace turnstile::protocol
