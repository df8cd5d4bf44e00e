// SPDX-License-Identifier: BSL-1.0
// First in line, and a lease has just become free: it is tried beside the ticket, without a look.
//
// Whoever is first and has seen how many leases stand in its way knows when one less is enough. A
// change of the leases is then nearly always a release, so a listing would only cost a round trip.
// The answer of the transaction shows how many leases there were, as it does where nobody stands in
// line. All of them count here, also those that nobody was granted: at worst it looks after all.
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

void semaphore::on_leases_changed() {
    const auto who = first();
    if (who && limit_ && !looking_ && who->counted &&
        rules_.fits(*who->counted - 1, who->count, limit_->value))
        return try_as_first(*who);
    look();
}

void semaphore::try_as_first(acquire& who) {
    const auto place = family_.queues.tickets().find(who.place);
    if (!place || !place->has_node() || !context_.requests.connected())
        return look();
    who.now = stage::trying_first;
    who.attempt = ++family_.attempts;
    request what{.op = operation::transact, .path = path_};
    what.steps = {{.what = step_kind::check,
                   .path = limit_path_,
                   .version = rules_.version_to_check(limit_->version)},
                  {.what = step_kind::set, .path = leases_path_}};
    if (rules_.tries_with_ticket())
        what.steps.push_back({.what = step_kind::check, .path = place->where.path_of(*place)});
    const auto first_lease = what.steps.size();
    add_leases(who, true, what.steps);
    send(what, [this, id = who.id, first_lease, checked = *limit_](const reply& answer) {
        on_tried_as_first(id, answer, first_lease, checked);
    });
}

void semaphore::on_tried_as_first(ticket_id id, const reply& answer, std::size_t first_lease,
                                  const known_limit& checked) {
    const auto who = find(id);
    if (!who || who->now != stage::trying_first)
        return; // its ticket has gone, or the session is over
    const bool unknown = outcome_unknown(answer.code);
    const bool made = answer.code == zookeeper_code::ok;
    who->now = unknown ? stage::in_line : stage::first; // told again on the next connection
    if (unknown)
        sweep_on_next_connection(); // what it made is held by nobody
    if (made)
        take_over(*who, answer, first_lease, answer.results[1].stat.mzxid);
    if (who->abandoned) {
        drop_leases(*who, 0);
        leave_line(*who);
        erase(id);
        return start_all();
    }
    if (unknown)
        return;
    first_ = id; // also where all were to start anew meanwhile
    if (!made) {
        if (leaving_.denied()) // it was told while the transaction was under way
            return cancel(id, failure::release_denied, zookeeper_code::no_auth);
        return look(); // which tells what keeps it from taking leases
    }
    const auto& before = answer.results[1].stat;
    if (is_exhausted(*who) || !rules_.is_of_limit(before.czxid, checked.incarnation) ||
        !rules_.fits(before.children, who->count, checked.value)) {
        drop_leases(*who, 0);
        return look();
    }
    first_.reset();
    who->tries = 0;
    who->now = stage::confirming;
    pass_place_on(*who);
    if (const auto still = find(id))
        confirm(*still);
    start_all();
}

// Its ticket goes as that of a mutex does: the next one hears CHANGED.
void semaphore::pass_place_on(acquire& who) {
    const auto place = std::exchange(who.place, 0);
    places_.erase(place);
    if (const auto ticket = family_.queues.tickets().find(place))
        ticket->where.pass_on(*ticket);
}

} // namespace turnstile::protocol
