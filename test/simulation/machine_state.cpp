#include "machine_state.hpp"

#include <algorithm>
#include <iterator>

namespace turnstile::protocol {

void machine_state::describe() {
    describe_session();
    describe(context_.lease);
    describe(machine_.connector_);
    describe(machine_.heartbeat_);
    describe(context_.watches);
    to_.part("rewatch queue");
    const auto& rewatches = machine_.rewatches_.snapshot();
    to_.number(rewatches.size());
    for (const auto& [id, epoch] : rewatches)
        to_.ticket(context_.find(id, epoch) ? id : 0);
    to_.part("lease watch");
    describe(machine_.lease_watch_.risk_);
    describe(machine_.lease_watch_.loss_);
    to_.flag(machine_.lease_watch_.at_risk_);
    to_.part("unreachable timeout");
    describe(machine_.unreachable_.due_);
    describe(machine_.queues_);
}

void machine_state::describe_session() {
    to_.part("session");
    to_.session(static_cast<test::model_session>(context_.session_id));
    to_.flag(machine_.answered_);
    to_.flag(context_.dropping);
    to_.flag(context_.bytes_freed);
    to_.choice(machine_.closing_);
    describe(machine_.close_limit_);
    to_.part("budget");
    to_.number(context_.bytes.used());
    to_.number(context_.paths_waiting_for_budget.size());
    for (const auto& path : context_.paths_waiting_for_budget)
        to_.text(path);
    to_.part("subjects of beats");
    to_.ticket(machine_.last_checked_);
    to_.number(context_.tickets.size());
    for (const auto& [id, who] : context_.tickets) // in the order in which a beat looks for one
        to_.ticket(id);
    to_.part("held");
    to_.tickets(context_.held);
    to_.part("request pipeline");
    to_.flag(context_.requests.connected_);
    to_.flag(context_.requests.wrote_);
    to_.flag(context_.requests.distrusted_);
}

// Of those that are due at one instant, the one that was set first is first. One that is never due
// might as well not be set.
void machine_state::describe(const timer& which) {
    const auto due = which.due();
    const bool matters = due && !to_.is_never(*due);
    to_.flag(matters);
    if (!matters)
        return;
    to_.at(*due);
    const auto first = context_.clock.pending_.lower_bound(*due);
    to_.number(static_cast<std::uint64_t>(std::distance(first, decltype(first)(*which.entry_))));
}

void machine_state::describe(const lease& which) {
    to_.part("lease");
    to_.span(which.timeout_);
    to_.flag(which.base_.has_value());
    if (which.base_) // a deadline that has passed has passed
        to_.since(*which.base_, 2 * which.timeout_);
    to_.part("handshake");
    to_.flag(which.handshake_.has_value());
    if (which.handshake_)
        to_.at(*which.handshake_);
    to_.part("log");
    to_.number(which.log_.size());
    for (const auto& [sent, answered] : which.log_) {
        to_.at(sent);
        to_.at(answered);
    }
    to_.part("proposals");
    to_.number(which.proposals_.size());
    for (const auto& [sent, confirmed] : which.proposals_) {
        to_.at(sent);
        to_.at(confirmed);
    }
}

void machine_state::describe(const connector& which) {
    to_.part("connector");
    to_.choice(which.phase_);
    to_.session(static_cast<test::model_session>(which.session_.session_id));
    to_.span(which.timeout_);
    to_.span(which.backoff_.bound_);
    to_.number(which.server_);
    to_.number(context_.options.retry_limit == 0 ? 0 : which.failures_);
    to_.number(which.pass_);
    to_.flag(which.in_port_);
    to_.flag(which.wished_);
    if (which.attempt_limit_.pending())
        to_.at(which.began_);
    if (which.phase_ == session_phase::connected)
        to_.since(which.connected_at_, context_.options.longest_backoff);
    to_.part("connector's timers");
    describe(which.next_attempt_);
    describe(which.attempt_limit_);
    describe(which.connect_limit_);
}

void machine_state::describe(const heartbeat& which) {
    to_.part("heartbeat");
    to_.flag(which.open_);
    if (which.open_)
        to_.at(which.sent_);
    else if (which.due_.pending())
        to_.at(which.latest_);
    to_.span(which.trip_);
    to_.number(which.hurried_);
    to_.flag(which.proved_ == context_.lease.deadline());
    to_.part("heartbeat's timers");
    describe(which.due_);
    describe(which.alarm_);
}

void machine_state::describe(const watch_table& which) {
    to_.part("watches");
    std::vector<std::string_view> paths;
    for (const auto& [path, watchers] : which.watchers_)
        paths.push_back(path);
    std::sort(paths.begin(), paths.end());
    to_.number(paths.size());
    for (const auto path : paths) {
        to_.node(path);
        to_.tickets(which.watchers_.at(std::string(path)));
    }
}

void machine_state::describe(const queue_registry& which) {
    to_.part("queue registry");
    const auto [idle_reviews, retiring, stopped, review, queues] = which.snapshot();
    to_.number(idle_reviews.size());
    for (const auto& [when, path, uses] : idle_reviews) {
        to_.text(path);
        to_.at(when + which.rest());
        to_.flag(uses.has_value());
        to_.flag(uses && uses == queues.at(path)->uses());
    }
    to_.number(retiring);
    to_.flag(stopped);
    describe(review);
    to_.number(queues.size());
    for (const auto& [path, where] : queues)
        describe(*where);
}

bool machine_state::describe_request(request_id id) {
    to_.part("requests");
    const auto& open = context_.requests.pending_;
    const auto found =
        std::find_if(open.begin(), open.end(), [id](const auto& each) { return each.id == id; });
    if (found == open.end())
        return false;
    to_.at(found->sent);
    to_.flag(found->write);
    const bool awaited = describe_origin(found->by);
    to_.flag(awaited);
    return awaited;
}

bool machine_state::describe_origin(const request_origin& by) {
    using enum request_purpose;
    switch (by.what) {
    case enqueue:
    case find_predecessor:
    case list:
    case confirm:
        if (!context_.find(by.subject, by.epoch))
            return false;
        break;
    case watch_own: {
        const auto who = context_.find(by.subject);
        if (!who || !who->has_node() || static_cast<std::uint64_t>(who->czxid) != by.epoch)
            return false;
        break;
    }
    case delete_ticket:
    case check_pending_delete:
        to_.choice(by.what);
        return describe_pending_delete(by.subject);
    case make_parent:
    case make_path:
        to_.choice(by.what);
        to_.flag(by.subject != 0);
        return true;
    case retire_path:
        to_.choice(by.what);
        machine_.queues_.for_each(
            [&](const lock_queue& where) { to_.flag(where.uses() == by.epoch); });
        return true;
    default:
        break;
    }
    to_.choice(by.what);
    to_.ticket(by.subject);
    return true;
}

} // namespace turnstile::protocol
