// Of a machine's state, what belongs to its semaphore.
#include "machine_state.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace turnstile::protocol {

void machine_state::describe(const semaphore_registry& which) {
    to_.part("owners of leases");
    std::vector<ticket_id> owners;
    for (const auto& [id, where] : which.snapshot())
        owners.push_back(id);
    std::sort(owners.begin(), owners.end());
    to_.tickets(owners);
    to_.number(which.size());
    which.for_each([this](const semaphore& where) { describe(where); });
}

// An acquire only asks whether a question is younger than itself.
void machine_state::describe(const semaphore& which) {
    const auto [directory, acquires, limit, questions, torn, part_missing, retried, first, leaving,
                open, rounds, asking, caught_up, limit_watched, leases_watched, looking,
                look_wanted, seen_free, sweeping, sweep_wanted, sweep_due, last_sweep, sweep,
                again] = which.snapshot();
    describe(directory);
    to_.part("acquires of leases");
    to_.number(acquires.size());
    for (const auto& [id, who] : acquires) {
        describe(*who);
        to_.flag(limit && limit->question > who->questions);
        to_.flag(questions > who->questions);
    }
    to_.part("limit");
    to_.flag(limit.has_value());
    if (limit) {
        to_.number(limit->value);
        to_.version(which.limit_path(), limit->version);
        to_.zxid(limit->incarnation);
    }
    to_.zxid(torn.value_or(0));
    to_.flag(part_missing);
    to_.flag(retried);
    to_.number(rounds);
    to_.flag(asking);
    to_.flag(asking && caught_up);
    to_.part("first in line");
    to_.ticket(first.value_or(0));
    to_.flag(looking);
    to_.flag(look_wanted);
    to_.flag(seen_free);
    to_.part("watches of a semaphore");
    to_.flag(limit_watched);
    to_.flag(leases_watched);
    to_.part("sweep of leases");
    to_.flag(sweeping);
    to_.flag(sweep_wanted);
    to_.flag(sweep_due);
    to_.flag(last_sweep && (sweeping || sweep_due)); // else it is set before it is asked for
    describe(sweep);
    to_.part("semaphore's requests");
    to_.number(open);
    describe(again);
    describe(leaving);
}

void machine_state::describe(const semaphore::acquire& which) {
    using enum semaphore::acquire::stage;
    to_.ticket(which.id);
    to_.choice(which.now);
    to_.number(which.count);
    to_.number(which.limit.value_or(0));
    to_.flag(which.patient);
    to_.flag(which.abandoned);
    to_.at(which.started + context_.options.unreachable_limit);
    to_.ticket(which.place);
    to_.number(which.paid);
    to_.flag(which.in_reserve);
    to_.number(which.tries);
    to_.tickets(which.others);
    to_.part("attempts");
    to_.attempt(which.attempt);
    to_.number(which.unknown_takes.size());
    for (const auto attempt : which.unknown_takes)
        to_.attempt(attempt);
    to_.part("bound");
    to_.flag(which.bound.has_value());
    if (which.bound)
        to_.lease_bound(*which.bound);
    to_.flag(which.counted.has_value());
    to_.number(static_cast<std::uint64_t>(which.counted.value_or(0)));
    to_.part("leases");
    to_.number(which.leases.size());
    for (const auto& name : which.leases)
        to_.node(name);
    if (which.now == confirming) { // what is told with the grant
        to_.zxid(which.czxid);
        to_.flag(which.unseen);
    }
    to_.part("deadlines of leases");
    describe(which.deadline);
    describe(which.place_expiry);
    describe(which.own_watch);
    to_.part("acquires of leases");
}

void machine_state::describe(const pending_leases& which) {
    const auto [leaving, denied, retrying, releases, refusals, again] = which.snapshot();
    std::vector<std::uint64_t> batches;
    for (const auto& [name, what] : leaving)
        batches.push_back(what.batch);
    std::sort(batches.begin(), batches.end());
    batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
    to_.part("pending leases");
    to_.number(leaving.size());
    for (const auto& [name, what] : leaving) {
        to_.node(name);
        to_.ticket(what.release);
        to_.flag(what.batch != 0);
        to_.number(static_cast<std::uint64_t>(
            std::distance(batches.begin(), std::find(batches.begin(), batches.end(), what.batch))));
        to_.flag(what.sent);
        to_.flag(what.tried);
        to_.flag(what.denied);
    }
    to_.number(denied.size()); // nobody may be denied anything in a small world
    to_.number(retrying);
    to_.number(refusals.size());
    for (const auto& [id, refusal] : refusals) {
        to_.ticket(id);
        to_.choice(refusal.first);
        to_.choice(refusal.second);
    }
    to_.number(releases.size());
    for (const auto& [id, count] : releases) {
        to_.ticket(id);
        to_.number(count);
    }
    describe(again);
}

bool machine_state::describe_origin_of_leases(const request_origin& by, const semaphore& which) {
    const auto [directory, acquires, limit, questions, torn, part_missing, retried, first, leaving,
                open, rounds, asking, caught_up, limit_watched, leases_watched, looking,
                look_wanted, seen_free, sweeping, sweep_wanted, sweep_due, last_sweep, sweep,
                again] = which.snapshot();
    using enum request_purpose;
    using stage = semaphore::acquire::stage;
    const auto attempts_in = [&by, &all = acquires](stage what) {
        return std::any_of(all.begin(), all.end(), [&](const auto& entry) {
            return entry.second->now == what && entry.second->attempt == by.subject;
        });
    };
    switch (by.what) {
    case try_leases:
        return attempts_in(stage::trying);
    case take_leases:
        return attempts_in(stage::taking);
    case confirm_leases:
        return attempts_in(stage::confirming);
    case find_limit:  // whether it is to be the answer to a question,
    case look_around: // or a limit was found before
        to_.flag(by.subject != 0);
        return true;
    default:
        return true;
    }
}

} // namespace turnstile::protocol
