// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/path_bytes.hpp"

#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

void path_bytes::enter(ticket& who) {
    // A later part of a multi_lock does not wait for bytes: it passes the tickets that do, and may
    // use the reserve (M8).
    if (who.options.later_part) {
        if (!take(who, false))
            return queue_.cancel(who, failure::session_full);
        who.bytes.leave_reserve();
        return queue_.enqueues().send(who);
    }
    const bool is_next = waiting_.empty();
    const bool others_have_some = has_bytes_here();
    if (is_next && take(who, others_have_some))
        return queue_.enqueues().send(who);
    if (is_next && !others_have_some) // nothing of this path will give bytes back
        return queue_.cancel(who, failure::session_full);
    if (!who.options.wait)
        return queue_.cancel(who, failure::would_block);
    who.phase.enter(ticket_phase::waiting_for_budget);
    waiting_.push_back(who.id);
    note_wait();
}

void path_bytes::enter_waiting() {
    while (!waiting_.empty()) {
        const auto who = table_.find(waiting_.front());
        if (!who) {
            waiting_.pop_front();
            continue;
        }
        if (!take(*who, has_bytes_here()))
            break;
        waiting_.pop_front();
        who->bytes.leave_reserve();
        queue_.enqueues().send(*who);
    }
    note_wait();
}

void path_bytes::stop_waiting(const ticket& who) {
    std::erase(waiting_, who.id);
    note_wait();
}

void path_bytes::stop_all() {
    waiting_.clear();
    note_wait();
}

void path_bytes::note_wait() {
    if (waiting_.empty())
        table_.paths_waiting_for_budget.erase(queue_.path());
    else
        table_.paths_waiting_for_budget.insert(queue_.path());
}

std::size_t path_bytes::cost_of_one() const {
    // An unknown incarnation counts as the longest one: a reservation must never be too small.
    const ticket_name name{.incarnation = queue_.directory().incarnation().value_or(-1),
                           .is_protected = context_.options.protects_tickets,
                           .kind = ticket_kind::shared,
                           .naming = queue_.naming()};
    return ticket_cost(context_.options.chroot_bytes + name.under(queue_.path()).size());
}

bool path_bytes::take(ticket& who, bool others_have_some) {
    if (!who.bytes.take(context_.bytes, cost_of_one(), others_have_some))
        return false;
    ++with_bytes_;
    return true;
}

void path_bytes::charge(ticket& who) {
    who.bytes = claim(context_.bytes, cost_of_one());
    ++with_bytes_;
}

claim path_bytes::take_from(ticket& who) {
    if (!who.bytes.empty())
        --with_bytes_;
    return std::move(who.bytes);
}

bool path_bytes::has_bytes_here() const { return with_bytes_ > 0 || !queue_.leaving().empty(); }

} // namespace turnstile::protocol
