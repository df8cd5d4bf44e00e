// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/hold_limits.hpp"

#include "protocol/session_context.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

void hold_limits::add(ticket_id id, duration limit) {
    const auto which = std::make_shared<hold>(limit, losses_, releases_);
    which->handles.push_back(id);
    by_handle_.emplace(id, which);
}

void hold_limits::share(ticket_id holder, ticket_id further) {
    const auto found = by_handle_.find(holder);
    if (found == by_handle_.end())
        return;
    found->second->handles.push_back(further);
    by_handle_.emplace(further, found->second);
}

bool hold_limits::forget(ticket_id id) {
    const auto node = by_handle_.extract(id);
    if (node.empty())
        return false;
    auto& which = *node.mapped(); // and goes with its last handle
    std::erase(which.handles, id);
    return which.was_lost;
}

void hold_limits::let_go(ticket_id id) {
    forget(id);
    leaving_.insert(id); // before, for the answer may come at once
    if (!release_(id))
        leaving_.erase(id);
}

bool hold_limits::release(ticket_id id) {
    const bool was_lost = forget(id);
    if (was_lost)
        let_go(id);
    if (was_lost || leaving_.contains(id))
        events_.on_released(id, failure::lost_by_limit, zookeeper_code::ok);
    return was_lost || leaving_.contains(id);
}

std::optional<instant> hold_limits::next() const {
    const auto loss = losses_.next();
    const auto end = releases_.next();
    return loss && end ? std::min(loss, end) : loss ? loss : end;
}

void hold_limits::run_due(timers& which) {
    while (const auto due = which.pop(context_.now()))
        (*due)();
}

void hold_limits::lose(hold& which) {
    which.was_lost = true;
    which.end.set(context_.now() + context_.margin(), [this, &which] {
        for (const auto id : std::vector(which.handles))
            let_go(id);
    });
    for (const auto id : std::vector(which.handles))
        events_.on_lost(id, failure::lost_by_limit);
}

void hold_limits::on_granted(ticket_id ticket, std::int64_t czxid) {
    events_.on_granted(ticket, czxid);
    const auto found = by_handle_.find(ticket);
    if (found == by_handle_.end())
        return;
    auto& which = *found->second;
    const auto end = context_.now() + which.limit;
    const auto warning = context_.risk_margin() - context_.margin();
    which.loss.set(end - warning, [this, &which, end] {
        which.loss.set(end, [this, &which] { lose(which); });
        for (const auto id : std::vector(which.handles))
            events_.on_limit_near(id);
    });
}

void hold_limits::on_acquire_failed(ticket_id ticket, failure why, zookeeper_code code) {
    forget(ticket);
    events_.on_acquire_failed(ticket, why, code);
}

void hold_limits::on_lost(ticket_id ticket, failure why) {
    if (!forget(ticket))
        events_.on_lost(ticket, why);
}

void hold_limits::on_released(ticket_id ticket, failure why, zookeeper_code code) {
    if (leaving_.erase(ticket) == 0)
        events_.on_released(ticket, why, code);
}

} // namespace turnstile::protocol
