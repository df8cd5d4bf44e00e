// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/predecessor_order.hpp"

#include "protocol/lease/lease_plan.hpp"
#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace turnstile::protocol {

namespace {

// A list of at most this many names costs less than two reads (Q15a).
constexpr std::int32_t cheap_list = 16;

/// For a ticket far from the front a list also counts the tickets before it (L3b). That is worth
/// more: such a list may have this many times `settings::near` names.
constexpr std::int32_t counting_factor = 4;

/// Whether the node that was read is a reader's ticket with the mark that no writer stands before
/// it. Then the reader right behind it is also first in line (R5). The mark counts only on a
/// protected ticket, which no other program can set.
bool is_marked_reader(const reply& read, bool is_protected) {
    return is_protected && read.code == zookeeper_code::ok && read.stat.ephemeral_owner != 0 &&
           is_marked_clear(read.data);
}

/// The name of a ticket with this kind and number in the same queue.
ticket_name name_like(const ticket& who, ticket_kind kind, std::int32_t sequence) {
    auto name = who.name;
    name.kind = kind;
    name.sequence = sequence;
    name.downgraded = false;
    return name;
}

/// The ticket asks anew who stands before it. Answers to earlier requests are stale from here on.
void begin_asking(ticket& who) {
    who.phase.enter(ticket_phase::finding_predecessor);
    ++who.epoch;
}

/// Whether the session's next tickets wait behind this one even if its node is gone: until the
/// answer to its downgrade (D10), or until the deadline of its lost lock (Q12b).
bool keeps_place_without_node(const ticket& who) {
    return who.is_downgrading() || who.phase == ticket_phase::lost;
}

/// Whether get_reader_before() was sent in this search. Its answer comes after that of
/// get_before(). If get_before() finds no writer, it is that answer that decides.
bool reader_decides(const ticket& who) { return who.reader_search == who.epoch; }

/// Whether the successor can take over the watch of the ticket before it. That watch is armed, and
/// belongs to an exclusive ticket that waits. A reader takes over no watch on another reader.
bool may_inherit_watch(const ticket& successor, const ticket& departing) {
    return departing.phase == ticket_phase::waiting && departing.before && departing.exclusive() &&
           departing.before->armed && (successor.exclusive() || departing.before->exclusive);
}

} // namespace

bool predecessor_order::is_blocked(const ticket& newcomer) const {
    const auto& standing = queue_.tickets().standing();
    if (newcomer.exclusive())
        return !standing.empty();
    return std::ranges::any_of(standing, [](const auto& each) { return each.second->exclusive(); });
}

void predecessor_order::on_enqueued(ticket& who, std::int32_t children) {
    who.crowded = children >= context_.options.crowd;
    if (children != 0)
        return search(who);
    // The lock path had no child. So tickets of this session that still stand before this one in
    // our table were deleted by another program. A lost one keeps its place all the same.
    queue_.remove_vanished(
        [&](const ticket& other) {
            return other.name.sequence < who.name.sequence && other.phase != ticket_phase::lost;
        },
        lock_queue::evidence::certain);
    // No node stood before it. But a ticket of this session may keep its place without one.
    if (!stand_behind_place_without_node(who, -1))
        queue_.on_first_in_line(who);
}

// ---- the search ----

// Looks for the predecessor at this number or below. The first of these steps that can decide ends
// the search:
// 1. A writer of this session stands at the number: the ticket waits for it, without a watch.
// 2. A reader of this session has shown that no writer stands at the number or below (R5): the
//    ticket, which is a reader's, is first in line.
// 3. The node with the number would not help: list() finds the nearest child, and get_before()
//    reads it.
// 4. get_before() reads the node with the number, and watches it. A reader's ticket also asks for a
//    reader with the number, in the same round trip. If there is no such node, step 3 follows.
// If no child is left, the ticket is first in line.

void predecessor_order::search_at(ticket& who, std::int32_t sequence) {
    unwatch(who);
    who.before.reset();
    who.neighbour_of.reset();
    // A neighbour had no watch on its own node, so that may be gone without an event (Q12a).
    if (who.phase == ticket_phase::neighbour)
        who.unseen = true;
    begin_asking(who);
    if (!context_.requests.connected())
        return; // every waiter searches again after the reconnect
    const auto next_lower = name_like(who, ticket_kind::exclusive, sequence);
    if (stand_behind_own(who, next_lower))
        return;
    // Step 2: such a reader holds the lock, or held it.
    if (!who.exclusive() && sequence <= queue_.directory().no_writer_up_to())
        return queue_.on_first_in_line(who);
    watch_itself(who);
    // Step 3: there is no such number, or its node leaves, or is a reader of this session.
    if (sequence < 0 || queue_.leaving().contains(next_lower) ||
        queue_.tickets().standing().contains(sequence))
        return list(who);
    get_before(who, next_lower.str());
    if (!who.exclusive())
        get_reader_before(who, sequence);
}

void predecessor_order::search_later(const ticket& who) {
    put_off_.emplace_back(who.id, who.epoch);
    context_.ask_later(again_, [this] {
        for (const auto& [id, epoch] : std::exchange(put_off_, {}))
            if (const auto found = table_.find(id, epoch);
                found && found->phase == ticket_phase::finding_predecessor)
                search(*found);
    });
}

void predecessor_order::get_before(ticket& who, const std::string& name) {
    // Never `exists`: on a missing node it leaves a watch behind for ever. And if the session may
    // not read the node, `get` says so, while the server would drop the event of an `exists`.
    table_.ask_for(
        who, {.op = operation::get, .path = queue_.path() + '/' + name, .watch = who.options.wait},
        [this, name](ticket& found, const reply& answer) { on_before(found, name, answer); });
}

// If get_before() has found the writer, this answer comes in a later phase, and does nothing.
void predecessor_order::get_reader_before(ticket& who, std::int32_t sequence) {
    who.reader_search = who.epoch;
    const auto name = name_like(who, ticket_kind::shared, sequence);
    table_.ask_for(who, {.op = operation::get, .path = name.under(queue_.path())},
                   [this](ticket& found, const reply& answer) {
                       if (found.phase != ticket_phase::finding_predecessor ||
                           outcome_unknown(answer.code))
                           return;
                       if (is_marked_reader(answer, found.name.is_protected))
                           queue_.on_first_in_line(found);
                       else
                           list(found);
                   });
}

void predecessor_order::on_before(ticket& who, const std::string& name, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code))
        return; // the ticket searches again after the reconnect
    if (answer.code == no_node) {
        if (!reader_decides(who))
            list(who);
        return;
    }
    if (answer.code == throttled)
        return search_later(who);
    if (answer.code != ok)
        return queue_.cancel(who, failure_of_read(answer.code), answer.code);
    const auto parsed = parse_contender(name);
    const auto turnstile_name = ticket_name::parse(name);
    if (answer.stat.ephemeral_owner == 0 || !parsed) { // no ticket: on_list() passes over it now
        who.not_tickets.insert(name);
        return list(who);
    }
    const bool of_this_session = answer.stat.ephemeral_owner == context_.session_id;
    if (of_this_session && turnstile_name) {
        if (stand_behind_own(who, *turnstile_name))
            return;
        if (queue_.leaving().contains(*turnstile_name)) // its deletion is on its way
            return list(who);
    }
    watch_predecessor(who, name, *parsed, answer);
}

void predecessor_order::watch_predecessor(ticket& who, const std::string& name,
                                          const contender& before, const reply& answer) {
    const auto turnstile_name = ticket_name::parse(name);
    const bool of_this_session = answer.stat.ephemeral_owner == context_.session_id;
    if (queue_.fail_if_may_not_wait(who))
        return;
    queue_.directory().note_seen(before.sequence);
    // A stray is a node of this session that belongs to no known ticket: a create whose answer was
    // lost may have made it. Its events grant nothing, and only cause another search.
    const bool stray = of_this_session && turnstile_name && !queue_.knows(*turnstile_name);
    // CHANGED of it will grant the lock (Q8).
    const bool is_trusted = !of_this_session && context_.options.protects_tickets &&
                            turnstile_name && turnstile_name->hands_over() &&
                            turnstile_name->incarnation == who.name.incarnation;
    who.before = predecessor{.path = queue_.path() + '/' + name,
                             .sequence = before.sequence,
                             .exclusive = before.kind == ticket_kind::exclusive,
                             .trusted = is_trusted,
                             .armed = true};
    who.phase.enter(ticket_phase::waiting);
    context_.watches.add(who.before->path, who.id);
    if (stray)
        queue_.lost_answers().meet_stray(*turnstile_name, answer.stat.czxid);
}

void predecessor_order::list(ticket& who) {
    begin_asking(who);
    table_.ask_for(who, {.op = operation::get_children, .path = queue_.path()},
                   [this](ticket& found, const reply& answer) { on_list(found, answer); });
}

void predecessor_order::on_list(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    if (outcome_unknown(answer.code))
        return;
    if (answer.code == no_node)
        return queue_.on_deleted_outside(who, lock_queue::evidence::read);
    if (answer.code == throttled)
        return search_later(who);
    if (answer.code != ok)
        return queue_.cancel(who, failure_of_read(answer.code), answer.code);
    if (answer.stat.czxid > who.name.incarnation) // the path was made anew, without its old tickets
        return queue_.learn_incarnation(answer.stat.czxid);
    const auto own_name = who.name.str();
    bool found_self = false;
    const std::string* nearest = nullptr;
    std::int32_t nearest_number = -1;
    for (const auto& child : answer.children) {
        const auto other = parse_contender(child);
        if (child == holder_name || is_of_semaphore(child) ||
            (other && other->naming != who.name.naming))
            return queue_.cancel(who, failure::wrong_kind);
        if (child == own_name) {
            found_self = true;
        } else if (other && waits_for(who, child, *other) &&
                   (!nearest || other->sequence > nearest_number)) {
            nearest = &child;
            nearest_number = other->sequence;
        }
    }
    if (!found_self)
        return queue_.on_deleted_outside(who, lock_queue::evidence::read);
    on_nearest(who, nearest, nearest_number);
}

bool predecessor_order::waits_for(const ticket& who, const std::string& child,
                                  const contender& other) const {
    if (other.sequence >= who.name.sequence || who.not_tickets.contains(child))
        return false;
    if (!who.exclusive() && other.kind == ticket_kind::shared)
        return false; // readers stand beside each other
    const auto turnstile_name = ticket_name::parse(child);
    return !turnstile_name || !queue_.leaving().contains(*turnstile_name);
}

void predecessor_order::on_nearest(ticket& who, const std::string* nearest,
                                   std::int32_t nearest_number) {
    // The list shows no child between `nearest` and `who`. So tickets of this session that still
    // stand there in our table were deleted by another program. If they stayed, local_successors()
    // would stop at them and miss `who`.
    queue_.remove_vanished(
        [&](const ticket& other) {
            return exclude_each_other(other.name, who.name) &&
                   other.name.sequence > nearest_number &&
                   other.name.sequence < who.name.sequence && !keeps_place_without_node(other);
        },
        lock_queue::evidence::read);
    if (stand_behind_place_without_node(who, nearest_number))
        return;
    if (!nearest) {
        who.unseen = false; // this list shows the ticket, and that it is the first
        return queue_.on_first_in_line(who);
    }
    if (const auto turnstile_name = ticket_name::parse(*nearest);
        turnstile_name && stand_behind_own(who, *turnstile_name))
        return;
    get_before(who, *nearest);
}

bool predecessor_order::stand_behind_own(ticket& who, const ticket_name& name) {
    const auto own = queue_.tickets().find(name);
    if (!own || !own->exclusive())
        return false;
    stand_behind(who, *own);
    return true;
}

bool predecessor_order::stand_behind_place_without_node(ticket& who, std::int32_t above) {
    const auto& standing = queue_.tickets().standing();
    for (auto next = standing.upper_bound(above); next != standing.end() && next->second != &who;
         ++next)
        if (keeps_place_without_node(*next->second) &&
            exclude_each_other(next->second->name, who.name)) {
            stand_behind(who, *next->second);
            return true;
        }
    return false;
}

void predecessor_order::stand_behind(ticket& who, const ticket& own) {
    if (queue_.fail_if_may_not_wait(who))
        return;
    who.before.reset();
    who.neighbour_of = own.name.sequence;
    who.phase.enter(ticket_phase::neighbour);
}

void predecessor_order::watch_itself(ticket& who) {
    if (!who.options.wait || who.watches_itself == own_watch_state::armed)
        return;
    who.unseen = true; // until the answer shows the node, and that the watch is set
    queue_.watch_own(who);
}

// ---- while the ticket waits: events, new connections, and events that were lost ----

void predecessor_order::on_watch(ticket& who, const std::string& node, watch_event event) {
    if (who.phase != ticket_phase::waiting || !who.before || who.before->path != node)
        return;
    const auto before = *who.before;
    who.before.reset();
    if (event == watch_event::changed && before.trusted)
        return queue_.on_first_in_line(who); // Q8
    const auto vanished =
        ticket_name::parse(std::string_view(node).substr(queue_.path().size() + 1));
    const bool is_turnstiles = vanished && vanished->incarnation == who.name.incarnation;
    if (event == watch_event::deleted && is_turnstiles) { // Q9
        queue_.on_ticket_gone(*vanished); // the event of an own ticket may come later, or never
        search_behind_gone(who, *vanished);
    } else if (event == watch_event::changed && is_turnstiles && !before.exclusive) {
        // The reader before it has marked its ticket, and still stands: watches it again (R6).
        begin_asking(who);
        get_before(who, vanished->str());
    } else {
        // Another program's node, or a writer whose CHANGED is not trusted. A list is needed, and
        // not the next lower number: another program may have two nodes with one number (Curator's
        // downgrade).
        who.neighbour_of.reset();
        list(who);
    }
}

// A writer whose ticket is gone may have become a reader in its place. So the reader's name is
// asked for first: if it is there, no ticket below it is left (D2).
void predecessor_order::search_behind_gone(ticket& who, const ticket_name& gone) {
    if (!gone.may_be_downgraded() || !context_.requests.connected())
        return search_at(who, gone.sequence - 1);
    watch_itself(who);
    begin_asking(who);
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
    begin_asking(who);
    get_before(who, name);
}

// If the path has few children, one list shows whether both nodes stand. It also counts the tickets
// that this one waits for: a reader does not wait for readers, so the number of children, which a
// stat has, would be too high (L3b).
void predecessor_order::check_by_reads(ticket& who) {
    const auto near = context_.options.near;
    if (queue_.tickets().children() <= (who.ahead > near ? counting_factor * near : cheap_list))
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
    queue_.tickets().note_children(static_cast<std::int32_t>(children.size()));
    const auto stands = [&](const std::string& node) {
        const auto name = std::string_view(node).substr(queue_.path().size() + 1);
        return std::ranges::find(children, name) != children.end();
    };
    if (!stands(queue_.path_of(who)))
        return queue_.on_deleted_outside(who, lock_queue::evidence::read);
    queue_.tickets().note_ahead(
        who, static_cast<std::int32_t>(std::ranges::count_if(children, [&](const auto& child) {
            const auto other = parse_contender(child);
            return other && other->sequence < who.name.sequence &&
                   (who.exclusive() || other->kind == ticket_kind::exclusive);
        })));
    if (!stands(who.before->path))
        queue_.on_missed_event(who);
}

// ---- the ticket waits no more, and the tickets behind it go on ----

void predecessor_order::forget(ticket& who) {
    unwatch(who);
    who.before.reset();
    who.neighbour_of.reset();
    who.not_tickets.clear();
}

void predecessor_order::unwatch(const ticket& who) {
    if (who.before && who.before->armed)
        context_.watches.remove(who.before->path, who.id);
}

void predecessor_order::write_clear_mark(const ticket& who) {
    if (who.exclusive())
        return;
    queue_.directory().note_no_writer_up_to(who.name.sequence);
    if (!who.crowded || !who.name.is_protected || !context_.requests.connected())
        return;
    const std::string data = context_.options.who.str(who.mark.str()).append(clear_mark);
    context_.requests.send({.op = operation::set, .path = queue_.path_of(who), .data = data},
                           [](const reply&) {});
}

std::vector<ticket*> predecessor_order::local_successors(const ticket& who) const {
    std::vector<ticket*> successors;
    const auto& standing = queue_.tickets().standing();
    // Several readers may wait for one writer, and some of them may still be searching. So this
    // goes on behind each reader. It stops at a writer: tickets behind that one wait for it.
    for (auto next = standing.upper_bound(who.name.sequence); next != standing.end(); ++next) {
        if (next->second->neighbour_of == who.name.sequence)
            successors.push_back(next->second);
        if (next->second->exclusive())
            break;
    }
    return successors;
}

// Behind a writer the next ticket of this session is first in line at once, without waiting for the
// deletion (Q12). Behind a reader it is not: readers of other sessions may hold the lock, too.
void predecessor_order::on_release(bool kept_readers_out, const std::vector<ticket*>& successors) {
    for (const auto next : successors)
        if (kept_readers_out)
            queue_.on_first_in_line(*next);
        else
            search(*next);
}

void predecessor_order::on_leave(ticket& departing, const std::vector<ticket*>& successors) {
    unwatch(departing); // `departing.before` stays: inherit_watch() copies it to a successor
    const bool was_neighbour = departing.phase == ticket_phase::neighbour &&
                               departing.neighbour_of &&
                               queue_.tickets().standing().contains(*departing.neighbour_of);
    for (const auto next : successors)
        if (was_neighbour) // both waited for that one
            next->neighbour_of = departing.neighbour_of;
        else if (may_inherit_watch(*next, departing))
            inherit_watch(*next, departing);
        else
            search_at(*next, departing.name.sequence - 1);
}

void predecessor_order::inherit_watch(ticket& successor, const ticket& departing) {
    successor.before = departing.before;
    successor.neighbour_of.reset();
    successor.phase.enter(ticket_phase::waiting);
    ++successor.epoch;
    context_.watches.add(successor.before->path, successor.id);
    watch_itself(successor);
}

void predecessor_order::on_downgrade(ticket& who, const std::vector<ticket*>& successors) {
    write_clear_mark(who); // a writer held the lock here, so no ticket below it is left (D2)
    for (const auto next : successors)
        if (next->exclusive())
            search(*next);
        else {
            // The reader did not watch its own node. While the writer stood, others were kept out
            // even if that node was deleted. Now the node has to be shown.
            next->unseen = true;
            queue_.on_first_in_line(*next);
        }
}

} // namespace turnstile::protocol
