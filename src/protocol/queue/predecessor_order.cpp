// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/predecessor_order.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <string_view>

namespace turnstile::protocol {

namespace {

// With so many names a list costs less than two reads.
constexpr std::int32_t cheap_list = 16;

/// Right behind a reader that says that no writer stands below it, a reader is an owner. The mark
/// is believed only where no other can set the node.
bool follows_clear_reader(const reply& read, bool guarded) {
    return guarded && read.code == zookeeper_code::ok && read.stat.ephemeral_owner != 0 &&
           is_marked_clear(read.data);
}

/// What a ticket of this kind has for a name, if one stands at this number.
ticket_name name_like(const ticket& who, ticket_kind kind, std::int32_t sequence) {
    auto name = who.name;
    name.kind = kind;
    name.sequence = sequence;
    name.downgraded = false;
    return name;
}

/// Its node may be gone, and its session waits behind it until it knows, or until its deadline.
bool is_kept(const ticket& who) { return who.is_downgrading() || who.phase == ticket_phase::lost; }

/// A watch may be inherited while it is armed, from an exclusive ticket that waits; and a reader
/// never waits for a reader.
bool may_inherit_watch(const ticket& successor, const ticket& departing) {
    return departing.phase == ticket_phase::waiting && departing.before && departing.exclusive() &&
           departing.before->armed && (successor.exclusive() || departing.before->exclusive);
}

} // namespace

bool predecessor_order::is_blocked(const ticket& newcomer) const {
    const auto& standing = queue_.standing();
    if (newcomer.exclusive())
        return !standing.empty();
    return std::ranges::any_of(standing, [](const auto& each) { return each.second->exclusive(); });
}

void predecessor_order::on_enqueued(ticket& who, std::int32_t children) {
    who.crowded = children >= context_.options.crowd;
    if (children != 0)
        return search(who);
    queue_.remove_vanished(
        [&](const ticket& other) {
            return other.name.sequence < who.name.sequence && other.phase != ticket_phase::lost;
        },
        lock_queue::evidence::certain);
    if (!stand_behind_kept(who, -1))
        queue_.on_first_in_line(who);
}

void predecessor_order::on_watch(ticket& who, const std::string& node, watch_event event) {
    if (who.phase != ticket_phase::waiting || !who.before || who.before->path != node)
        return;
    const auto before = *who.before;
    who.before.reset();
    if (event == watch_event::changed && before.trusted)
        return queue_.on_first_in_line(who);
    const auto vanished =
        ticket_name::parse(std::string_view(node).substr(queue_.path().size() + 1));
    const bool one_of_ours = vanished && vanished->incarnation == who.name.incarnation;
    if (event == watch_event::deleted && one_of_ours) {
        queue_.on_ticket_gone(*vanished); // one of this session may hear of it later, or never
        search_behind_gone(who, *vanished);
    } else if (event == watch_event::changed && one_of_ours && !before.exclusive) {
        // The reader has marked its ticket, and stands.
        who.phase.enter(ticket_phase::finding_predecessor);
        ++who.epoch;
        get_before(who, vanished->str());
    } else {
        // Another program's node may share its sequence with one more (Curator's downgrade): list.
        who.neighbour_of.reset();
        list(who);
    }
}

void predecessor_order::unwatch(const ticket& who) {
    if (who.before && who.before->armed)
        context_.watches.remove(who.before->path, who.id);
}

void predecessor_order::forget(ticket& who) {
    unwatch(who);
    who.before.reset();
    who.neighbour_of.reset();
    who.no_tickets.clear();
}

void predecessor_order::mark_clear(const ticket& who) {
    if (who.exclusive())
        return;
    queue_.directory().is_clear(who.name.sequence);
    if (!who.crowded || !who.name.guarded || !context_.requests.connected())
        return;
    const std::string data = context_.options.who.str(who.request.str()).append(clear_mark);
    context_.requests.send({.op = operation::set, .path = queue_.path_of(who), .data = data},
                           [](const reply&) {});
}

std::vector<ticket*> predecessor_order::local_successors(const ticket& who) const {
    std::vector<ticket*> successors;
    const auto& standing = queue_.standing();
    // Readers stand side by side: some of them may still search while others wait here.
    for (auto next = standing.upper_bound(who.name.sequence); next != standing.end(); ++next) {
        if (next->second->neighbour_of == who.name.sequence)
            successors.push_back(next->second);
        if (next->second->exclusive())
            break;
    }
    return successors;
}

// The smallest ticket belongs to this session either way: no need to wait for the transaction.
// Without that, one of another session may hold the lock to read.
void predecessor_order::on_release(bool kept_readers_out, const std::vector<ticket*>& successors) {
    for (const auto next : successors)
        kept_readers_out ? queue_.on_first_in_line(*next) : search(*next);
}

void predecessor_order::on_leave(ticket& departing, const std::vector<ticket*>& successors) {
    unwatch(departing); // `departing.before` stays: an next may wait for the same predecessor
    for (const auto next : successors) {
        if (departing.phase == ticket_phase::neighbour && departing.neighbour_of &&
            queue_.standing().contains(*departing.neighbour_of)) {
            next->neighbour_of = departing.neighbour_of;
            continue;
        }
        if (may_inherit_watch(*next, departing)) {
            next->before = departing.before;
            next->neighbour_of.reset();
            next->phase.enter(ticket_phase::waiting);
            ++next->epoch;
            context_.watches.add(next->before->path, next->id);
            watch_itself(*next);
            continue;
        }
        search_at(*next, departing.name.sequence - 1);
    }
}

void predecessor_order::on_downgrade(ticket& who, const std::vector<ticket*>& successors) {
    mark_clear(who); // nothing below it is left
    for (const auto next : successors)
        if (next->exclusive())
            search(*next);
        else {
            // It did not watch itself. With its writer's ticket goes what kept others out.
            next->unseen = true;
            queue_.on_first_in_line(*next);
        }
}

// Who stands before a ticket: one get where the neighbour is there, one list where it is not.

bool predecessor_order::stand_behind(ticket& who, const ticket& own) {
    if (!queue_.may_not_wait(who)) {
        who.before.reset();
        who.neighbour_of = own.name.sequence;
        who.phase.enter(ticket_phase::neighbour);
    }
    return true;
}

bool predecessor_order::stand_behind_own(ticket& who, const ticket_name& name) {
    const auto own = queue_.find_standing(name);
    return own && own->exclusive() && stand_behind(who, *own);
}

bool predecessor_order::stand_behind_kept(ticket& who, std::int32_t lowest) {
    for (auto next = queue_.standing().upper_bound(lowest); next->second != &who; ++next)
        if (is_kept(*next->second) && exclude_each_other(next->second->name, who.name))
            return stand_behind(who, *next->second);
    return false;
}

void predecessor_order::watch_itself(ticket& who) {
    if (!who.options.wait || who.watches_itself == own_watch_state::armed)
        return;
    who.unseen = true; // until that watch is known to be set
    queue_.watch_own(who);
}

void predecessor_order::search_at(ticket& who, std::int32_t sequence) {
    unwatch(who);
    who.before.reset();
    who.neighbour_of.reset();
    // As a neighbour it was not watched, or no event says whether it ended before what comes now.
    if (who.phase == ticket_phase::neighbour)
        who.unseen = true;
    who.phase.enter(ticket_phase::finding_predecessor);
    ++who.epoch;
    if (!context_.requests.connected())
        return; // every waiter searches again after the reconnect
    const auto nearest = name_like(who, ticket_kind::exclusive, sequence);
    if (stand_behind_own(who, nearest))
        return;
    // Right behind a reader of this session that holds the lock, or held it, no writer stands.
    if (!who.exclusive() && sequence <= queue_.directory().clear())
        return queue_.on_first_in_line(who);
    watch_itself(who);
    // A ticket that is leaving is never a predecessor, and nothing can be named below 0.
    if (sequence < 0 || queue_.leaving().contains(nearest) || queue_.standing().contains(sequence))
        return list(who);
    get_before(who, nearest.str());
    if (!who.exclusive())
        get_reader_before(who, sequence);
}

// A writer that is gone may have become a reader in its place: then nothing below it is left.
void predecessor_order::search_behind_gone(ticket& who, const ticket_name& gone) {
    if (!gone.may_be_downgraded() || !context_.requests.connected())
        return search_at(who, gone.sequence - 1);
    watch_itself(who);
    who.phase.enter(ticket_phase::finding_predecessor);
    ++who.epoch;
    const auto name = gone.as_downgraded();
    const bool waits = who.exclusive() && who.options.wait;
    table_.ask_for(who, {.op = operation::get, .path = name.under(queue_.path()), .watch = waits},
                   [this, name](ticket& found, const reply& answer) {
                       on_downgraded_before(found, name, answer);
                   });
}

void predecessor_order::on_downgraded_before(ticket& who, const ticket_name& name,
                                             const reply& answer) {
    if (answer.code == zookeeper_code::no_node)
        return search_at(who, name.sequence - 1);
    if (answer.code == zookeeper_code::ok && answer.stat.ephemeral_owner != 0 && !who.exclusive())
        return queue_.on_first_in_line(who);
    on_before(who, name.str(), answer);
}

void predecessor_order::search_again(ticket& who) {
    if (!who.before)
        return search(who);
    const auto name = who.before->path.substr(queue_.path().size() + 1);
    who.before.reset();
    watch_itself(who);
    who.phase.enter(ticket_phase::finding_predecessor);
    ++who.epoch;
    get_before(who, name);
}

// One list tells of both nodes. Far from the front it tells as well how many are before it: foreign
// children, and readers before a reader, are nodes that it does not wait for.
void predecessor_order::check_by_reads(ticket& who) {
    const auto near = context_.options.near;
    if (queue_.children() <= (who.ahead > near ? 4 * near : cheap_list))
        return table_.ask_for(
            who, {.op = operation::get_children, .path = queue_.path()},
            [this](ticket& found, const reply& answer) { on_checked(found, answer); });
    table_.ask_for(who, {.op = operation::exists, .path = queue_.path_of(who)},
                   [this](ticket& found, const reply& answer) {
                       if (answer.code == zookeeper_code::no_node)
                           queue_.on_deleted_outside(found, lock_queue::evidence::read);
                   });
    table_.ask_for(who, {.op = operation::exists, .path = who.before->path},
                   [this](ticket& found, const reply& answer) {
                       if (answer.code == zookeeper_code::no_node && found.before)
                           queue_.on_missed_event(found);
                   });
}

void predecessor_order::on_checked(ticket& who, const reply& listing) {
    if (listing.code != zookeeper_code::ok || !who.before)
        return;
    const auto& children = listing.children;
    queue_.has_children(children.size());
    const auto stands = [&](const std::string& node) {
        const auto name = std::string_view(node).substr(queue_.path().size() + 1);
        return std::ranges::find(children, name) != children.end();
    };
    if (!stands(queue_.path_of(who)))
        return queue_.on_deleted_outside(who, lock_queue::evidence::read);
    queue_.is_behind(
        who, static_cast<std::int32_t>(std::ranges::count_if(children, [&](const auto& child) {
            const auto other = parse_contender(child);
            return other && other->sequence < who.name.sequence &&
                   (who.exclusive() || other->kind == ticket_kind::exclusive);
        })));
    if (!stands(who.before->path))
        queue_.on_missed_event(who);
}

void predecessor_order::get_before(ticket& who, const std::string& name) {
    // `get`, never `exists`: on a missing node `exists` leaves a watch behind, and it tells
    // NOAUTH, where the server would drop the event without a word.
    table_.ask_for(
        who, {.op = operation::get, .path = queue_.path() + '/' + name, .watch = who.options.wait},
        [this, name](ticket& found, const reply& answer) { on_before(found, name, answer); });
}

// Comes behind the answer for an exclusive one of that number, which left it to this one to decide.
void predecessor_order::get_reader_before(ticket& who, std::int32_t sequence) {
    who.reader_search = who.epoch;
    const auto name = name_like(who, ticket_kind::shared, sequence);
    table_.ask_for(who, {.op = operation::get, .path = name.under(queue_.path())},
                   [this](ticket& found, const reply& answer) {
                       if (found.phase != ticket_phase::finding_predecessor ||
                           outcome_unknown(answer.code))
                           return;
                       if (follows_clear_reader(answer, found.name.guarded))
                           queue_.on_first_in_line(found);
                       else
                           list(found);
                   });
}

void predecessor_order::on_before(ticket& who, const std::string& name, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code))
        return; // searched again after the reconnect
    if (answer.code == no_node) {
        if (who.reader_search != who.epoch) // else the answer for the reader decides
            list(who);
        return;
    }
    if (answer.code != ok)
        return queue_.cancel(who, failure_of_read(answer.code), answer.code);
    const auto parsed = parse_contender(name);
    const auto own_name = ticket_name::parse(name);
    if (answer.stat.ephemeral_owner == 0 || !parsed) {
        who.no_tickets.insert(name);
        return list(who);
    }
    const bool of_this_session = answer.stat.ephemeral_owner == context_.session_id;
    if (of_this_session && own_name) {
        if (stand_behind_own(who, *own_name))
            return;
        if (queue_.leaving().contains(*own_name))
            return list(who);
    }
    if (queue_.may_not_wait(who))
        return;
    queue_.directory().seen(parsed->sequence);
    // A ticket of this session that stands for no acquire may yet turn out to be the answer to a
    // create. So an event of it never grants: it only causes another search.
    const bool stray = of_this_session && own_name && !queue_.knows(*own_name);
    who.before = predecessor{.path = queue_.path() + '/' + name,
                             .sequence = parsed->sequence,
                             .exclusive = parsed->kind == ticket_kind::exclusive,
                             .trusted = !of_this_session && context_.options.guarded && own_name &&
                                        own_name->hands_over() &&
                                        own_name->incarnation == who.name.incarnation,
                             .armed = true};
    who.phase.enter(ticket_phase::waiting);
    context_.watches.add(who.before->path, who.id);
    if (stray)
        queue_.meet_stray(*own_name, answer.stat.czxid);
}

void predecessor_order::list(ticket& who) {
    who.phase.enter(ticket_phase::finding_predecessor);
    ++who.epoch;
    table_.ask_for(who, {.op = operation::get_children, .path = queue_.path()},
                   [this](ticket& found, const reply& answer) { on_list(found, answer); });
}

void predecessor_order::on_list(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code))
        return;
    if (answer.code == no_node)
        return queue_.on_deleted_outside(who, lock_queue::evidence::read);
    if (answer.code != ok)
        return queue_.cancel(who, failure_of_read(answer.code), answer.code);
    if (answer.stat.czxid > who.name.incarnation) // made anew: `who` is gone, and all beside it
        return queue_.learn_incarnation(answer.stat.czxid);
    const auto own_name = who.name.str();
    bool found_self = false;
    const std::string* nearest = nullptr;
    contender nearest_parsed;
    for (const auto& child : answer.children) {
        if (child == own_name) {
            found_self = true;
            continue;
        }
        if (child == holder_name || is_of_semaphore(child))
            return queue_.cancel(who, failure::wrong_kind);
        const auto other = parse_contender(child);
        if (other && other->naming != who.name.naming)
            return queue_.cancel(who, failure::wrong_kind);
        if (!other || other->sequence >= who.name.sequence || who.no_tickets.contains(child))
            continue;
        if (!who.exclusive() && other->kind == ticket_kind::shared)
            continue; // readers stand beside each other
        if (const auto ours = ticket_name::parse(child); ours && queue_.leaving().contains(*ours))
            continue;
        if (!nearest || other->sequence > nearest_parsed.sequence) {
            nearest = &child;
            nearest_parsed = *other;
        }
    }
    if (!found_self)
        return queue_.on_deleted_outside(who, lock_queue::evidence::read);
    // An own ticket that `who` would wait for, above the nearest one listed, was deleted by an
    // external actor. If it stayed in the table, it would stand between `who` and the one whose
    // local successor it is.
    const auto lowest = nearest ? nearest_parsed.sequence : -1;
    queue_.remove_vanished(
        [&](const ticket& other) {
            return exclude_each_other(other.name, who.name) && other.name.sequence > lowest &&
                   other.name.sequence < who.name.sequence && !is_kept(other);
        },
        lock_queue::evidence::read);
    if (stand_behind_kept(who, lowest))
        return;
    if (!nearest) {
        who.unseen = false; // this answer shows it, and that it is first
        return queue_.on_first_in_line(who);
    }
    if (const auto ours = ticket_name::parse(*nearest); ours && stand_behind_own(who, *ours))
        return;
    get_before(who, *nearest);
}

} // namespace turnstile::protocol
