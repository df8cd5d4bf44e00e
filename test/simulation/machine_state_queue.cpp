// Of a machine's state, what belongs to its queue.
#include "machine_state.hpp"

#include <iterator>

namespace turnstile::protocol {

void machine_state::describe(const lock_queue& which) {
    to_.part("queue");
    to_.text(which.path_);
    to_.number(which.placed_);
    to_.part("order of the queue");
    to_.number(which.by_sequence_.size());
    for (const auto& [sequence, who] : which.by_sequence_) {
        to_.number(static_cast<std::uint64_t>(sequence));
        to_.ticket(who->id);
    }
    to_.part("waiters for the budget");
    to_.tickets(which.waiting_for_budget_);
    describe(which.directory_);
    describe(which.leaving_);
    to_.part("undeletable");
    to_.number(which.undeletable_.standing_.size());
    for (const auto& each : which.undeletable_.standing_)
        describe(each);
    to_.number(which.undeletable_.open_);
    describe(which.recovery_);
    to_.number(which.tickets_.size());
    for (const auto& [id, who] : which.tickets_)
        describe(*who);
}

void machine_state::describe(const lock_directory& which) {
    to_.part("incarnation");
    to_.zxid(which.incarnation_.value_or(0));
    to_.part("lock path");
    // Who made it is asked when the path has rested. An incarnation that has gone does not come
    // back.
    to_.flag(which.is_own() && !to_.is_never(context_.now() + context_.options.queue_rest));
    to_.flag(which.asking_);
    if (which.asking_) {
        to_.number(which.rounds_);
        to_.flag(which.parent_denied_);
        to_.flag(which.root_missing_);
    }
    to_.flag(which.restarting_);
    to_.part("highest sequence");
    to_.number(static_cast<std::uint64_t>(which.highest_));
}

void machine_state::describe(const ticket_name& which) {
    to_.flag(which.guarded);
    to_.choice(which.kind);
    to_.zxid(which.incarnation);
    to_.number(static_cast<std::uint64_t>(which.sequence));
}

void machine_state::describe(const pending_delete& which) {
    describe(which.name);
    to_.zxid(which.czxid);
    to_.choice(which.form);
    to_.number(which.cost);
    to_.ticket(which.notify);
    to_.flag(which.denied);
}

void machine_state::describe(const pending_deletes& which) {
    to_.part("pending deletes");
    to_.number(which.unsent_);
    to_.number(which.leaving_.size());
    for (const auto& [key, each] : which.leaving_) {
        describe(each.what);
        to_.choice(each.where);
        to_.flag(each.tried);
    }
    describe(which.again_);
}

// Told by its place among those that are leaving.
bool machine_state::describe_pending_delete(std::uint64_t key) {
    for (const auto& [path, where] : queues_.queues_) {
        const auto& leaving = where->leaving_.leaving_;
        if (const auto found = leaving.find(key); found != leaving.end()) {
            to_.number(static_cast<std::uint64_t>(std::distance(leaving.begin(), found)));
            return true;
        }
    }
    return false;
}

void machine_state::describe(const recovery& which) {
    to_.part("recovery");
    to_.flag(which.running_ != nullptr);
    if (which.running_) {
        const auto& run = *which.running_;
        to_.tickets(run.tickets);
        to_.flag(run.sweep);
        to_.number(run.open);
        to_.zxid(run.incarnation);
        to_.number(run.finds.size());
        for (const auto& [name, czxid, request] : run.finds) {
            describe(name);
            to_.zxid(czxid);
            to_.marked(request);
        }
    }
    to_.part("sweep");
    describe(which.again_);
    describe(which.sweep_);
    to_.flag(which.sweep_wanted_);
    if (which.sweep_wanted_) {
        to_.number(static_cast<std::uint64_t>(which.sweep_floor_));
        to_.zxid(which.sweep_incarnation_);
    }
    to_.part("strays");
    to_.number(which.strays_.size());
    for (const auto& [name, czxid] : which.strays_) {
        describe(name);
        to_.zxid(czxid);
    }
}

void machine_state::describe(const predecessor& which) {
    to_.node(which.path);
    to_.number(static_cast<std::uint64_t>(which.sequence));
    to_.flag(which.exclusive);
    to_.flag(which.trusted);
    to_.flag(which.armed);
}

void machine_state::describe(const ticket& which) {
    using enum ticket_phase;
    to_.part("ticket");
    to_.ticket(which.id);
    to_.choice(which.phase);
    to_.choice(which.kind);
    to_.flag(which.patient);
    to_.flag(which.abandoned);
    to_.flag(which.in_reserve);
    to_.number(which.cost);
    to_.number(which.tries);
    to_.at(which.started + context_.options.unreachable_limit);
    to_.part("deadlines");
    describe(which.acquire_deadline);
    describe(which.place_expiry);
    to_.part("name");
    if (which.has_node()) {
        describe(which.name);
        to_.zxid(which.czxid);
    }
    to_.part("open create");
    if (which.phase == creating || which.phase == unresolved) {
        to_.zxid(which.name.incarnation);
        to_.number(static_cast<std::uint64_t>(which.floor));
    }
    to_.part("neighbour");
    to_.flag(which.neighbour_of.has_value());
    to_.number(static_cast<std::uint64_t>(which.neighbour_of.value_or(0)));
    to_.part("predecessor");
    to_.flag(which.before.has_value());
    if (which.before)
        describe(*which.before);
    to_.part("no tickets");
    to_.number(which.no_tickets.size());
    for (const auto& name : which.no_tickets)
        to_.node(name);
    to_.part("own watch");
    describe(which.own_watch);
    to_.flag(which.watches_itself);
    to_.flag(which.unseen);
}

} // namespace turnstile::protocol
