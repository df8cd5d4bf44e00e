// SPDX-License-Identifier: BSL-1.0
// Tickets of several lock paths that are made in one transaction.
#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

// Where this session has something under way, its own queue says who is next.
bool lock_queue::may_enter_in_company(std::int64_t wanted) const {
    return context_.requests.connected() && tickets_.empty() && waiting_for_budget_.empty() &&
           !undeletable_.stand() && !undeletable_.open() && directory_.incarnation() == wanted &&
           context_.bytes.fits(cost_of_one(), true);
}

void lock_queue::enter_in_company(std::unique_ptr<ticket> newcomer,
                                  std::vector<transaction_step>& steps) {
    ++uses_;
    auto& who = *newcomer;
    tickets_.insert(std::move(newcomer));
    context_.tickets.emplace(who.id, &who);
    take_bytes(who);
    who.phase.take(ticket_step::may_enter);
    begin_create(who);
    who.in_company = true;
    steps.push_back({.what = step_kind::set, .path = path_});
    steps.push_back({.what = step_kind::create_sequential,
                     .path = who.name.prefix_under(path_),
                     .data = data_of(who)});
}

bool lock_queue::made_in_company(ticket& who, const reply& answer, bool keeps) {
    const auto id = who.id;
    if (!keeps)
        cancel(who, failure::taken_back); // before its place is looked for
    on_created(who, answer);
    const auto still = context_.find(id);
    return still && still->phase >= ticket_phase::confirming;
}

void lock_queue::not_made_in_company(ticket& who) {
    who.phase.take(ticket_step::was_refused);
    if (who.abandoned)
        return erase(who);
    cancel(who, failure::taken_back);
}

} // namespace turnstile::protocol
