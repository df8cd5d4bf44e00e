// Of a machine's state, what belongs to its queue.
#include "machine_state.hpp"

#include <iterator>

namespace turnstile::protocol {

void machine_state::describe(const lock_queue& which) {
    const auto [path, directory, leaving, recovery, tickets, by_sequence, waiting_for_budget,
                undeletable, placed] = which.snapshot();
    to_.part("queue");
    to_.text(path);
    to_.number(placed);
    to_.part("order of the queue");
    to_.number(by_sequence.size());
    for (const auto who : by_sequence) {
        to_.number(static_cast<std::uint64_t>(who->name.sequence));
        to_.ticket(who->id);
    }
    to_.part("waiters for the budget");
    to_.tickets(waiting_for_budget);
    describe(directory);
    describe(leaving);
    describe(undeletable);
    describe(recovery);
    to_.number(tickets.size());
    for (const auto& who : tickets)
        describe(*who);
}

void machine_state::describe(const undeletable& which) {
    const auto [standing, open] = which.snapshot();
    to_.part("undeletable");
    to_.number(standing.size());
    for (const auto& each : standing)
        describe(each);
    to_.number(open);
}

void machine_state::describe(const lock_directory& which) {
    const auto [incarnation, highest, clear, asking, restarting, rounds, parent_denied,
                root_missing] = which.snapshot();
    to_.part("incarnation");
    to_.zxid(incarnation.value_or(0));
    to_.part("lock path");
    // Who made it is asked when the path has rested. An incarnation that has gone does not come
    // back.
    to_.flag(which.is_own() && !to_.is_never(context_.now() + context_.options.queue_rest));
    to_.flag(asking);
    if (asking) {
        to_.number(rounds);
        to_.flag(parent_denied);
        to_.flag(root_missing);
    }
    to_.flag(restarting);
    to_.part("highest sequence");
    to_.number(static_cast<std::uint64_t>(highest));
    to_.part("clear");
    to_.number(static_cast<std::uint64_t>(clear));
}

void machine_state::describe(const ticket_name& which) {
    to_.flag(which.guarded);
    to_.choice(which.kind);
    to_.flag(which.downgraded);
    to_.zxid(which.incarnation);
    to_.number(static_cast<std::uint64_t>(which.sequence));
}

void machine_state::describe(const pending_delete& which) {
    describe(which.name);
    to_.number(which.successors.size());
    for (const auto& next : which.successors)
        describe(next);
    to_.zxid(which.czxid);
    to_.choice(which.form);
    to_.number(which.cost);
    to_.ticket(which.notify);
    to_.flag(which.denied);
    to_.flag(which.may_be_downgraded);
}

void machine_state::describe(const pending_deletes& which) {
    const auto [unsent, leaving, again] = which.snapshot();
    to_.part("pending deletes");
    to_.number(unsent);
    to_.number(leaving.size());
    for (const auto& [key, each] : leaving) {
        describe(each.what);
        to_.choice(each.where);
        to_.flag(each.tried);
    }
    describe(again);
}

// Told by its place among those that are leaving that queue.
bool machine_state::describe_pending_delete(std::uint64_t key, const request& what) {
    bool known = false;
    queues_.for_each([&](const lock_queue& where) {
        if (!what.path.starts_with(where.path() + '/'))
            return;
        const auto [unsent, leaving, again] = where.leaving().snapshot();
        const auto found = leaving.find(key);
        if (known || found == leaving.end())
            return;
        to_.number(static_cast<std::uint64_t>(std::distance(leaving.begin(), found)));
        known = true;
    });
    return known;
}

void machine_state::describe(const recovery& which) {
    const auto [running, again, sweep, sweep_wanted, sweep_floor, sweep_incarnation, late, strays] =
        which.snapshot();
    to_.part("recovery");
    to_.flag(running != nullptr);
    if (running) {
        to_.tickets(running->tickets);
        to_.flag(running->sweep);
        to_.number(running->open);
        to_.zxid(running->incarnation);
        to_.number(running->finds.size());
        for (const auto& [name, czxid, request] : running->finds) {
            describe(name);
            to_.zxid(czxid);
            to_.marked(request);
        }
    }
    to_.part("sweep");
    describe(again);
    describe(sweep);
    to_.flag(sweep_wanted);
    if (sweep_wanted) {
        to_.number(static_cast<std::uint64_t>(sweep_floor));
        to_.zxid(sweep_incarnation);
    }
    to_.part("late");
    to_.number(late.size());
    for (const auto& name : late)
        describe(name);
    to_.part("strays");
    to_.number(strays.size());
    for (const auto& [name, czxid] : strays) {
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
    to_.choice(ticket_phase{which.phase});
    to_.choice(which.kind);
    to_.flag(which.patient);
    to_.flag(which.abandoned);
    to_.flag(which.in_reserve);
    to_.part("part");
    to_.flag(which.in_company);
    to_.zxid(which.wanted);
    to_.part("ticket");
    to_.number(which.cost);
    to_.number(which.tries);
    to_.at(which.started + context_.options.unreachable_limit);
    to_.part("deadlines");
    describe(which.deadline);
    to_.part("sharers");
    to_.number(which.joins);
    to_.number(which.sharer_count());
    if (which.sharers)
        for (const auto& each : *which.sharers) {
            to_.ticket(each.id);
            to_.at(each.started + context_.options.unreachable_limit);
            describe(each.acquire_deadline);
        }
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
    to_.number(which.no_tickets ? which.no_tickets->size() : 0);
    if (which.no_tickets)
        for (const auto& name : *which.no_tickets)
            to_.node(name);
    to_.flag(which.crowded && !which.exclusive());
    to_.flag(which.asks_for_reader());
    to_.part("downgrade");
    to_.choice(which.downgrading);
    const auto changes = which.changes ? *which.changes : change_wishes{};
    to_.ticket(changes.downgrade_caller);
    to_.part("upgrade");
    to_.ticket(changes.upgrade_caller);
    to_.ticket(changes.writer);
    to_.part("own watch");
    describe(which.own_watch);
    to_.number(static_cast<std::size_t>(which.watches_itself));
    to_.flag(which.unseen);
    to_.part("taker");
    to_.flag(which.taker != nullptr);
    to_.flag(which.taking);
}

} // namespace turnstile::protocol
