#include "machine_state.hpp"

#include <algorithm>
#include <iterator>

namespace turnstile::protocol {

void machine_state::describe() {
    const auto [context, connector, heartbeat, queues, rewatches, inquiries, unreachable,
                lease_watch, close_limit, last_checked, answered, closing, single_nodes, lookups,
                semaphores, missed] = machine_.snapshot();
    to_.part("session");
    to_.session(static_cast<test::model_session>(context.session_id));
    to_.flag(answered);
    to_.flag(context.dropping);
    to_.flag(context.bytes_freed);
    to_.choice(closing);
    describe(close_limit);
    to_.part("subjects of beats");
    to_.ticket(last_checked);
    to_.ticket(missed.snapshot());
    describe(context);
    describe(context.lease);
    describe(connector);
    describe(heartbeat);
    describe(context.watches);
    describe(rewatches);
    to_.number(inquiries.snapshot().size()); // nobody asks in a small world
    describe(lookups);
    describe(lease_watch);
    to_.part("unreachable timeout");
    describe(unreachable.snapshot());
    describe(queues);
    describe(single_nodes);
    describe(semaphores);
}

void machine_state::describe(const machine_context& which) {
    to_.number(which.tickets.size());
    for (const auto& [id, who] : which.tickets) // in the order in which a beat looks for one
        to_.ticket(id);
    to_.part("budget");
    to_.number(which.bytes.used());
    to_.number(which.paths_waiting_for_budget.size());
    for (const auto& path : which.paths_waiting_for_budget)
        to_.text(path);
    to_.part("enqueue window");
    const auto [under_way, waiting] = which.enqueues.snapshot();
    to_.number(under_way);
    to_.tickets(waiting);
    to_.part("held");
    to_.tickets(which.held);
    to_.part("request pipeline");
    const auto [distrusted, pending] = which.requests.snapshot();
    to_.flag(which.requests.connected());
    to_.flag(which.requests.wrote());
    to_.flag(distrusted);
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
    const auto [first, last] = context_.clock.snapshot().equal_range(*due);
    const auto entry =
        std::find_if(first, last, [&](const auto& each) { return each.second.of == &which; });
    to_.number(static_cast<std::uint64_t>(std::distance(first, entry)));
}

void machine_state::describe(const lease& which) {
    const auto [base, handshake, log, proposals] = which.snapshot();
    to_.part("lease");
    to_.span(which.timeout());
    to_.flag(base.has_value());
    if (base) // a deadline that has passed has passed
        to_.since(*base, 2 * which.timeout());
    to_.part("handshake");
    to_.flag(handshake.has_value());
    if (handshake)
        to_.at(*handshake);
    to_.part("log");
    to_.number(log.size());
    for (const auto& [sent, answered] : log) {
        to_.at(sent);
        to_.at(answered);
    }
    to_.part("proposals");
    to_.number(proposals.size());
    for (const auto& [sent, confirmed] : proposals) {
        to_.at(sent);
        to_.at(confirmed);
    }
}

void machine_state::describe(const connector& which) {
    const auto [timeout, backoff, server, failures, pass, in_port, wished, connected_at,
                next_attempt, attempt_limit, connect_limit] = which.snapshot();
    to_.part("connector");
    to_.choice(which.phase());
    to_.session(static_cast<test::model_session>(which.session().session_id));
    to_.span(timeout);
    to_.span(backoff.snapshot());
    to_.number(server);
    to_.number(context_.options.retry_limit == 0 ? 0 : failures);
    to_.number(pass);
    to_.flag(in_port);
    to_.flag(wished);
    if (attempt_limit.pending())
        to_.at(which.attempt_began());
    if (which.phase() == session_phase::connected)
        to_.since(connected_at, context_.options.longest_backoff);
    to_.part("connector's timers");
    describe(next_attempt);
    describe(attempt_limit);
    describe(connect_limit);
}

void machine_state::describe(const heartbeat& which) {
    const auto [open, sent, latest, trip, hurried, proved, due, alarm] = which.snapshot();
    to_.part("heartbeat");
    to_.flag(open);
    if (open)
        to_.at(sent);
    else if (due.pending())
        to_.at(latest);
    to_.span(trip);
    to_.number(hurried);
    to_.flag(proved == context_.lease.deadline());
    to_.part("heartbeat's timers");
    describe(due);
    describe(alarm);
}

void machine_state::describe(const lease_watch& which) {
    const auto [risk, loss, at_risk] = which.snapshot();
    to_.part("lease watch");
    describe(risk);
    describe(loss);
    to_.flag(at_risk);
}

void machine_state::describe(const watch_table& which) {
    to_.part("watches");
    for (const auto& watchers : which.snapshot()) { // of data, and of children
        std::vector<std::string_view> paths;
        for (const auto& [path, tickets] : watchers)
            paths.push_back(path);
        std::sort(paths.begin(), paths.end());
        to_.number(paths.size());
        for (const auto path : paths) {
            to_.node(path);
            to_.tickets(watchers.at(std::string(path)));
        }
    }
}

void machine_state::describe(const rewatch_queue& which) {
    to_.part("rewatch queue");
    const auto& rewatches = which.snapshot();
    to_.number(rewatches.size());
    for (const auto& [id, epoch] : rewatches)
        to_.ticket(context_.find(id, epoch) ? id : 0);
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

void machine_state::describe(const path_lookups& which) {
    to_.part("look-ups");
    const auto all = which.snapshot();
    to_.number(all.size());
    for (const auto& each : all) {
        to_.ticket(each.id);
        to_.text(each.what.path);
        to_.at(each.since + context_.options.unreachable_limit);
        describe(each.deadline);
        to_.flag(each.told);
        describe(each.directory);
        to_.part("look-ups");
    }
}

std::optional<request_purpose> machine_state::describe_request(request_id id, const request& what) {
    to_.part("requests");
    const auto& [distrusted, open] = context_.requests.snapshot();
    const auto found =
        std::find_if(open.begin(), open.end(), [id](const auto& each) { return each.id == id; });
    if (found == open.end())
        return std::nullopt;
    to_.at(found->sent);
    to_.flag(found->write);
    const bool awaited = describe_origin(found->by, what);
    to_.flag(awaited);
    return awaited ? std::optional{found->by.what} : std::nullopt;
}

bool machine_state::describe_origin(const request_origin& by, const request& what) {
    using enum request_purpose;
    switch (by.what) {
    case enqueue:
    case find_predecessor:
    case find_reader:
    case find_downgraded_before:
    case list:
    case confirm:
        if (!context_.find(by.subject, by.epoch))
            return false;
        break;
    case downgrade:
    case find_undowngraded:
    case find_downgraded:
        if (!context_.find(by.subject))
            return false;
        break;
    case ask_for_upgrade: {
        const auto who = context_.find(by.subject);
        if (!who || who->writer() != by.epoch)
            return false;
        break;
    }
    case upgrade:
        if (!context_.find(by.subject))
            return false;
        to_.ticket(by.epoch);
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
        return describe_pending_delete(by.subject, what);
    case beat:
    case make_parent:
    case make_path:
        to_.choice(by.what);
        to_.flag(by.subject != 0); // no ticket: that the beat is the barrier, the path the first
        return true;
    case retire_path:
        to_.choice(by.what);
        queues_.for_each([&](const lock_queue& where) { to_.flag(where.uses() == by.epoch); });
        return true;
    case create_holder:
    case ask_holder:
    case examine_holder:
    case confirm_holder:
    case watch_holder:
    case delete_holder: {
        bool awaited = false;
        to_.choice(by.what);
        single_nodes_.for_each(
            [&](const single_node& where) { awaited = describe_origin_of_node(by, where); });
        return awaited;
    }
    case find_limit:
    case prove_limit:
    case look_around:
    case make_semaphore:
    case try_leases:
    case list_leases:
    case take_leases:
    case confirm_leases:
    case watch_lease:
    case delete_lease:
    case sweep_leases: {
        bool awaited = false;
        to_.choice(by.what);
        semaphores_.for_each(
            [&](const semaphore& where) { awaited = describe_origin_of_leases(by, where); });
        return awaited;
    }
    default:
        break;
    }
    to_.choice(by.what);
    to_.ticket(by.subject);
    return true;
}

} // namespace turnstile::protocol
