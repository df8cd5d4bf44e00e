// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/held_permits.hpp"

#include "protocol/semaphore/semaphore.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

std::uint64_t held_permits::count() const {
    std::uint64_t result = 0;
    for (const auto& [attempt, each] : holdings_)
        if (!each.lock->is_lost())
            result += each.nodes.size();
    return result;
}

held_permits::holdings::iterator held_permits::find(ticket_id handle) {
    return std::ranges::find_if(holdings_, [&](const auto& entry) {
        return std::ranges::find(entry.second.handles, handle) != entry.second.handles.end();
    });
}

held_permits::holdings::iterator held_permits::owner_of(const std::string& node) {
    return std::ranges::find_if(holdings_, [&](const auto& entry) {
        return std::ranges::find(entry.second.nodes, node) != entry.second.nodes.end();
    });
}

std::vector<std::string> held_permits::nodes_of(ticket_id handle) {
    const auto which = find(handle);
    return which == holdings_.end() ? std::vector<std::string>{} : which->second.nodes;
}

std::vector<transaction_step> held_permits::proof_of(ticket_id handle) {
    const auto which = find(handle);
    if (which == holdings_.end() || which->second.lock->is_lost())
        return {};
    std::vector<transaction_step> checks;
    for (const auto& node : which->second.nodes)
        checks.push_back({.what = step_kind::check, .path = node});
    return checks;
}

std::size_t held_permits::sharers_of(const std::string& node) {
    const auto which = owner_of(node);
    return which == holdings_.end() ? 0 : which->second.handles.size();
}

void held_permits::grant(permit_acquire& acquired) {
    const auto which = holdings_.try_emplace(acquired.attempt, context_).first;
    auto& granted = which->second;
    granted.handles = {acquired.id};
    granted.nodes = std::move(acquired.permits);
    granted.bytes = std::move(acquired.bytes);
    granted.lock = std::move(acquired.lock);
    granted.lock->grant(
        acquired.id, acquired.czxid, [&granted] { return granted.handles; },
        [this, &granted] { lose(granted.handles.front(), failure::held_too_long); });
    watch_later(which, lease_plan::spread(context_.lease.timeout()));
}

void held_permits::share(ticket_id holder, ticket_id further) {
    const auto which = find(holder);
    if (which == holdings_.end())
        return;
    which->second.handles.push_back(further);
    owner_.add_handle(further);
}

bool held_permits::release(ticket_id handle) {
    const auto which = find(handle);
    if (which == holdings_.end())
        return false;
    auto& handles = which->second.handles;
    const auto why = which->second.lock->why_lost();
    if (handles.size() > 1) {
        std::erase(handles, handle);
        owner_.remove_handle(handle);
        if (context_.held.erase(handle) > 0)
            context_.held.insert(handles.front());
        context_.lock_events.on_released(handle, why, zookeeper_code::ok);
        return true;
    }
    const bool was_lost = which->second.lock->is_lost(); // then the release waits for nothing
    delete_nodes(which, was_lost ? 0 : handle);
    erase(which);
    if (was_lost)
        context_.lock_events.on_released(handle, why, zookeeper_code::ok);
    return true;
}

void held_permits::lose(ticket_id handle, failure why) {
    const auto which = find(handle);
    if (which == holdings_.end() || which->second.lock->is_lost())
        return;
    auto& lost = which->second;
    lost.next_watch.cancel();
    lost.lock->lose(lost.handles.front(), lost.handles, why, [this, attempt = which->first] {
        const auto over = holdings_.find(attempt);
        delete_nodes(over, 0);
        erase(over);
    });
}

// All permits of the acquire are deleted, also this one: only a read has shown that it is gone.
bool held_permits::on_missing(const std::string& node) {
    const auto which = owner_of(node);
    if (which == holdings_.end())
        return false;
    if (which->second.lock->is_lost())
        return true; // its holder may not have stopped yet: the others stay until the deadline
    delete_nodes(which, 0);
    const auto handles = erase(which);
    context_.events.on_note(log_level::info, "held permit deleted from outside: " + owner_.path());
    report_lost(handles, failure::ticket_deleted);
    return true;
}

void held_permits::on_watch(const std::string& node, watch_event event) {
    if (event == watch_event::deleted)
        on_missing(node);
    else if (const auto which = owner_of(node);
             which != holdings_.end() && !which->second.lock->is_lost())
        watch(which); // another program has set its data
}

void held_permits::watch_later(holdings::iterator which, duration delay) {
    which->second.next_watch.set(
        context_.now() + delay, [this, attempt = which->first] { watch(holdings_.find(attempt)); });
}

void held_permits::watch(holdings::iterator which) {
    if (!context_.requests.connected())
        return;
    for (const auto& node : which->second.nodes)
        owner_.ask({.op = operation::get, .path = node, .watch = true},
                   [this, node, attempt = which->first](const reply& answer) {
                       const auto still = holdings_.find(attempt);
                       if (still == holdings_.end() || still->second.lock->is_lost())
                           return;
                       if (refused(answer.code))
                           return watch_later(still,
                                              lease_plan::asked_again(context_.lease.timeout()));
                       if (answer.code == zookeeper_code::no_node)
                           return static_cast<void>(on_missing(node));
                       context_.watches.remove(node, lock_watcher); // one entry is enough
                       context_.watches.add(node, lock_watcher);
                   });
}

void held_permits::delete_nodes(holdings::iterator which, ticket_id release) {
    for (const auto& node : which->second.nodes)
        context_.watches.forget(node, lock_watcher);
    leaving_.add(std::exchange(which->second.nodes, {}), release);
}

std::vector<ticket_id> held_permits::erase(holdings::iterator which) {
    const auto gone = holdings_.extract(which);
    for (const auto each : gone.mapped().handles) {
        owner_.remove_handle(each);
        context_.held.erase(each);
    }
    return gone.mapped().handles;
}

void held_permits::report_lost(const std::vector<ticket_id>& handles, failure why) {
    for (const auto each : handles)
        context_.lock_events.on_lost(each, why);
}

void held_permits::on_connected() {
    for (auto which = holdings_.begin(); which != holdings_.end(); ++which)
        if (!which->second.lock->is_lost())
            watch_later(which, context_.random_spread());
}

void held_permits::on_disconnected() {
    for (auto& [attempt, each] : holdings_)
        if (!each.lock->is_lost())
            each.next_watch.cancel();
}

void held_permits::end_all(failure why) {
    while (!holdings_.empty()) {
        const bool was_held = !holdings_.begin()->second.lock->is_lost();
        const auto handles = erase(holdings_.begin());
        if (was_held)
            report_lost(handles, why);
    }
}

} // namespace turnstile::protocol
